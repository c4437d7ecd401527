import { readFileSync } from 'node:fs';

/** One turn of talk; `id` is unique within its conversation. */
export interface Turn {
  id: string;
  /** '' for a note. */
  speaker: string;
  text: string;
  imageCaption?: string;
}

export interface Session {
  number: number;
  /** ISO 8601. */
  startedAt: string;
  turns: Turn[];
}

export interface Question {
  question: string;
  answer: string | number;
  category: string;
  /** Ids of the turns that hold the answer; at least one. */
  evidence: string[];
  /** Number of the session to search; absent for all. */
  session?: number;
}

/** All sessions of two speakers; stored as one user. */
export interface Conversation {
  id: string;
  speakers: string[];
  sessions: Session[];
  questions: Question[];
}

export interface DataSet {
  source: string;
  use: string;
  conversations: Conversation[];
}

/** Path of LoCoMo's development half, which is not part of the project: see bench/README.md. */
export const developmentHalf = '../shared/data/locomo-dev.json';

/**
 * Reads a set in the LoCoMo layout of `test/fixtures/locomo-small.json`.
 *
 * @throws Error if the set has no questions, or a question names an unknown turn
 */
export function readDataSet(path: string): DataSet {
  const set = JSON.parse(readFileSync(path, 'utf8')) as DataSet;
  if (!Array.isArray(set.conversations)) throw new Error(`${path}: "conversations" is missing`);
  for (const conversation of set.conversations) assertEvidence(conversation);
  if (set.conversations.every(({ questions }) => questions.length === 0))
    throw new Error(`${path}: no questions`);
  return set;
}

function assertEvidence(conversation: Conversation): void {
  const ids = conversation.sessions.flatMap(({ turns }) => turns.map(({ id }) => id));
  const known = new Set(ids);
  if (known.size !== ids.length) throw new Error(`${conversation.id}: a turn id appears twice`);
  for (const { question, evidence } of conversation.questions) {
    if (evidence.length === 0) throw new Error(`${conversation.id}: no evidence for "${question}"`);
    const missing = evidence.find((id) => !known.has(id));
    if (missing) throw new Error(`${conversation.id}: unknown evidence ${missing} for "${question}"`);
  }
}
