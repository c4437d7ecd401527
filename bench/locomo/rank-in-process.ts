import type { NewMemory } from '../../src/domain/memories/memory-store.ts';
import { analyzeQuery } from '../../src/retrieval/analysis/index.ts';
import { type KeywordMatches, keywordArm } from '../../src/retrieval/arms/keyword-arm.ts';
import { createDocumentIndexer } from '../../src/retrieval/document-indexer.ts';
import { type Moment, momentOf } from '../../src/retrieval/index/moment.ts';
import { UserIndex } from '../../src/retrieval/index/user-index.ts';
import type { Postings } from '../../src/retrieval/ports.ts';
import { scoreInConversation } from '../../src/retrieval/rank/in-conversation.ts';
import { firstRows } from '../../src/retrieval/rank/order.ts';
import { byScore } from '../../src/retrieval/rank/sort-orders.ts';
import type { ContextWeights } from '../../src/retrieval/rank/weights.ts';
import { timePhrases } from '../../src/retrieval/time/time-phrases.ts';
import type { Conversation, Question } from './data-set.ts';
import { toContent } from './import-conversation.ts';
import { type RankedQuestion, resultsMax } from './score.ts';

/** One file conversation as a user's index, and what the keyword arm finds for each of its questions. */
export interface Prepared {
  readonly moment: Moment;
  readonly turnIds: readonly string[];
  readonly questions: readonly { readonly question: Question; readonly matches: KeywordMatches }[];
}

interface Turned {
  readonly id: string;
  readonly session: number;
  readonly memory: NewMemory;
}

function memoriesOf({ sessions }: Conversation): Turned[] {
  return sessions.flatMap(({ number, startedAt, turns }) =>
    turns.map((turn) => ({
      id: turn.id,
      session: number,
      memory: {
        content: toContent(turn),
        eventTime: Date.parse(startedAt),
        name: null,
        topics: [],
        role: 'user',
      } as unknown as NewMemory,
    })),
  );
}

function add(
  postings: Map<string, { docs: number[]; frequencies: number[] }>,
  doc: number,
  terms: readonly string[],
): void {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  for (const [term, count] of counts) {
    const list = postings.get(term) ?? { docs: [], frequencies: [] };
    list.docs.push(doc);
    list.frequencies.push(Math.min(count, 8));
    postings.set(term, list);
  }
}

/** Indexes a conversation as the service would, without a store. */
export function prepare(conversation: Conversation): Prepared {
  const index = new UserIndex({ epoch: 0, space: 0 });
  const postings = new Map<string, { docs: number[]; frequencies: number[] }>();
  const turns = memoriesOf(conversation);
  const rows = turns.map(({ session, memory }, i) => {
    const document = createDocumentIndexer().memory(memory);
    add(postings, i + 1, document.terms);
    return {
      doc: i + 1,
      seq: i + 1,
      rev: i + 1,
      openedAt: i,
      closedAt: null,
      trashed: 0,
      memoryType: 'episodic',
      effectiveState: 'current',
      conversationId: String(session),
      eventTime: memory.eventTime,
      validFrom: null,
      validTo: null,
      createdAt: i,
      updatedAt: i,
      termCount: document.terms.length,
      traits: document.traits,
      speaker: document.speaker,
      topics: '[]',
    };
  });
  index.apply(rows, rows.length);
  const of = (term: string): Postings => {
    const found = postings.get(term);
    return { docs: found?.docs ?? [], frequencies: Uint8Array.from(found?.frequencies ?? []) };
  };
  const moment = momentOf(index, undefined);
  const questions = conversation.questions.map((question) => {
    const terms = analyzeQuery(question.question);
    return { question, matches: keywordArm(moment, terms, terms.map(of), () => true) };
  });
  return { moment, turnIds: turns.map(({ id }) => id), questions };
}

/** The first 20 turns for every question under these weights. */
export function rankAll({ moment, turnIds, questions }: Prepared, weights: ContextWeights): RankedQuestion[] {
  return questions.map(({ question, matches }) => {
    const { rows, scores } = scoreInConversation({
      moment,
      terms: matches.terms,
      named: new Set(matches.terms.map(({ term }) => term)),
      own: matches.scores,
      passes: () => true,
      weights,
      periods: timePhrases(question.question, Date.now()),
    });
    const found = firstRows(rows, resultsMax, byScore(moment.index, scores)).map((row) => turnIds[row]);
    return { category: question.category, evidence: question.evidence, found };
  });
}
