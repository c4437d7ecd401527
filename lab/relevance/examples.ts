import type { Conversation, Question } from '../../bench/locomo/data-set.ts';
import { type InProcess, openInProcess } from '../../bench/locomo/rank-in-process.ts';
import type { EmbeddingModels } from '../../src/embedding/load-models.ts';
import type { Fused } from '../../src/search/rank/fuse/fuse.ts';
import type { RankedBy } from '../../src/search/rank/ranking-models.ts';
import { comparedRanks, type RelevanceValues, relevanceValuesOf } from '../../src/search/rank/relevance.ts';
import type { Ranked } from '../../src/search/rank/rescorer.ts';
import { byScore, firstRows } from '../../src/search/scores/order.ts';
import { directHalves, readDirectQuestions } from './direct-questions.ts';
import { type NeverStoredPart, neverStoredParts, readNeverStored } from './never-stored.ts';
import { readSmallStores, type SmallStore } from './small-stores.ts';

/**
 * Origin of a question. `own`: the user's own; `foreign`: another user's, about something that
 * this user never stored; `renamed`: a foreign question with the names of this user's
 * speakers; `direct` and `direct-locked`: halves of the direct questions, including those
 * about things never stored; `small` and `small-locked`: halves of the questions to small
 * stores; others: questions written about things that no user stored.
 */
export type Asked =
  | 'own'
  | 'foreign'
  | 'renamed'
  | 'direct'
  | 'direct-locked'
  | 'small'
  | 'small-locked'
  | NeverStoredPart;

/** The best ten hits of one question to one user. */
export interface Example {
  readonly method: RankedBy;
  readonly user: string;
  /** User from whom the question comes. */
  readonly author: string;
  readonly asked: Asked;
  readonly isStored: boolean;
  readonly hits: readonly { readonly isRight: boolean; readonly values: RelevanceValues }[];
}

export const rankings: readonly RankedBy[] = ['keyword', 'semantic', 'hybrid', 'sum'];

interface AskedQuestion extends Question {
  readonly category: Asked;
  readonly author: string;
}

/** Users to ask, and the ways to rank. */
export interface ExamplesOf {
  readonly conversations: readonly Conversation[];
  readonly ranked: readonly RankedBy[];
  /** The static model alone by default. */
  readonly models?: EmbeddingModels;
}

/** Same examples in the same order every time. */
export async function readExamples({ conversations, ranked, models }: ExamplesOf): Promise<Example[]> {
  const store = await openInProcess({ clock: { now: () => Date.UTC(2026, 0, 1) }, models });
  try {
    const examples: Example[] = [];
    for (const [number, talk] of conversations.entries()) {
      const own = talk.questions.map((question) => ({
        ...question,
        category: 'own' as const,
        author: talk.id,
      }));
      const questions = [
        ...own,
        ...directTo(talk),
        ...foreignTo(conversations, number),
        ...neverStoredOf(talk),
      ];
      for (const method of ranked) examples.push(...(await examplesOf(store, questions, talk, method)));
    }
    for (const small of readSmallStores(conversations))
      for (const method of ranked) {
        const found = await examplesOf(store, askedOf(small), small.stored, method);
        examples.push(...found.map((example) => ({ ...example, user: small.user })));
      }
    return examples;
  } finally {
    await store.close();
  }
}

function directTo({ id }: Conversation): AskedQuestion[] {
  return directHalves.flatMap((half) =>
    readDirectQuestions(half)
      .filter(({ user }) => user === id)
      .map(({ question, evidence }) => ({
        question,
        answer: '',
        category: half === 'locked' ? ('direct-locked' as const) : ('direct' as const),
        evidence: [...evidence],
        author: id,
      })),
  );
}

/** Every second question of all other users, unchanged and with names of this user's speakers. */
function foreignTo(conversations: readonly Conversation[], number: number): AskedQuestion[] {
  const user = conversations[number];
  return conversations.flatMap((_, step) => {
    const other = conversations[(number + step) % conversations.length];
    if (other === user) return [];
    return other.questions
      .filter((_, i) => (i + step) % 2 === 0)
      .flatMap((question) => {
        const foreign = {
          ...question,
          evidence: [],
          session: undefined,
          category: 'foreign' as const,
          author: other.id,
        };
        const text = renamed(question.question, speakersOf(other), speakersOf(user));
        return text === undefined
          ? [foreign]
          : [foreign, { ...foreign, question: text, category: 'renamed' as const }];
      });
  });
}

/** The question with replaced names; undefined if it names no speaker, or either user has none. */
function renamed(text: string, from: readonly string[], to: readonly string[]): string | undefined {
  if (from.length === 0 || to.length === 0) return undefined;
  const names = new RegExp(`\\b(?:${from.join('|')})\\b`, 'g');
  const changed = text.replace(names, (name) => to[from.indexOf(name) % to.length]);
  return changed === text ? undefined : changed;
}

/** Speakers named by their role, which are not replaced. */
const roles = ['', 'Assistant', 'Agent', 'Note'];

function speakersOf({ sessions }: Conversation): string[] {
  const speakers = new Set(sessions.flatMap(({ turns }) => turns.map(({ speaker }) => speaker)));
  return [...speakers].filter((speaker) => !roles.includes(speaker));
}

function neverStoredOf({ id }: Conversation): AskedQuestion[] {
  return neverStoredParts.flatMap((part) =>
    readNeverStored(part)
      .filter(({ user }) => user === id)
      .map(({ question }) => ({ question, answer: '', category: part, evidence: [], author: id })),
  );
}

function askedOf({ user, questions }: SmallStore): AskedQuestion[] {
  return questions.map(({ half, question, evidence }) => ({
    question,
    answer: '',
    category: half === 'locked' ? 'small-locked' : 'small',
    evidence: [...evidence],
    author: user,
  }));
}

/** The weighted sum as a ranking of its own. */
const unchanged = (sum: Fused): Ranked => ({ sum, last: sum });

async function examplesOf(
  store: InProcess,
  asked: readonly AskedQuestion[],
  stored: Conversation,
  method: RankedBy,
): Promise<Example[]> {
  const searched = method === 'sum' ? 'hybrid' : method;
  const { turnIds, questions } = await store.prepare(
    { ...stored, questions: [...asked] },
    searched,
    undefined,
    stored,
  );
  const examples: Example[] = [];
  for (const [i, each] of questions.entries()) {
    const { category, author, evidence } = asked[i];
    const { sum, last } = method === 'sum' ? unchanged(store.sum(each)) : await store.rank(each);
    const { plan, candidates, terms, passages } = each.asked;
    const { view, index } = candidates;
    const rows = firstRows(last.rows, Math.min(comparedRanks, last.rows.length), byScore(index, last.scores));
    const valuesOf = relevanceValuesOf({
      view,
      query: plan.query,
      typed: plan.terms,
      terms,
      passages,
      sum,
      last,
      best: rows,
    });
    const values = [...valuesOf(rows)];
    const hits = rows.map((row, place) => ({
      isRight: evidence.includes(turnIds.get(index.columns.docs[row]) ?? ''),
      values: values[place],
    }));
    examples.push({ method, user: stored.id, author, asked: category, isStored: evidence.length > 0, hits });
  }
  return examples;
}
