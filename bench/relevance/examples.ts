import { shippedWeights } from '../../src/retrieval/fuse/weights.ts';
import { bestScores } from '../../src/retrieval/rank/best-scores.ts';
import { firstRows } from '../../src/retrieval/rank/order.ts';
import { byScore } from '../../src/retrieval/rank/sort-orders.ts';
import { type FeatureValues, featuresOf } from '../../src/retrieval/relevance/features.ts';
import { comparedRanks } from '../../src/retrieval/relevance/judge-rows.ts';
import type { SearchMethod } from '../../src/retrieval/request.ts';
import { fuseAsked } from '../../src/retrieval/search.ts';
import type { Conversation, Question } from '../locomo/data-set.ts';
import { type InProcess, openInProcess } from '../locomo/rank-in-process.ts';
import { neverStoredHalves, readNeverStored } from '../talks/never-stored.ts';
import { readTalkSet } from '../talks/talk-set.ts';

/**
 * `own`: a question of the user's own; `foreign`: one of another user, about what this one never stored; `training` and
 * `locked`: the halves of the questions that were written about what nobody stored.
 */
export type Asked = 'own' | 'foreign' | 'training' | 'locked';

/** The best ten hits of one question to one user. */
export interface Example {
  readonly method: SearchMethod;
  readonly user: string;
  readonly asked: Asked;
  readonly hits: readonly { readonly isRight: boolean; readonly values: FeatureValues }[];
}

export const methods: readonly SearchMethod[] = ['keyword', 'semantic', 'hybrid'];

/** Same examples in the same order every time. */
export async function readExamples(): Promise<Example[]> {
  const { conversations } = readTalkSet();
  const store = await openInProcess({ now: () => Date.UTC(2026, 0, 1) });
  try {
    const examples: Example[] = [];
    for (const [number, talk] of conversations.entries()) {
      const questions = [...talk.questions, ...foreignTo(conversations, number), ...neverStoredOf(talk)];
      for (const method of methods)
        examples.push(...(await examplesOf(store, { ...talk, questions }, talk, method)));
    }
    return examples;
  } finally {
    await store.close();
  }
}

/** Every second question of two other users. */
function foreignTo(conversations: readonly Conversation[], number: number): Question[] {
  return [1, 3].flatMap((step) => {
    const other = conversations[(number + step) % conversations.length];
    return other.questions
      .filter((_, i) => i % 2 === step >> 1)
      .map((question) => ({ ...question, category: 'foreign', evidence: [] }));
  });
}

function neverStoredOf({ id }: Conversation): Question[] {
  return neverStoredHalves.flatMap((half) =>
    readNeverStored(half)
      .filter(({ user }) => user === id)
      .map(({ question }) => ({ question, answer: '', category: half, evidence: [] })),
  );
}

async function examplesOf(
  store: InProcess,
  talk: Conversation,
  stored: Conversation,
  method: SearchMethod,
): Promise<Example[]> {
  const { turnIds, questions } = await store.prepare(talk, method, undefined, stored);
  return questions.map(({ question: { category, evidence }, asked }) => {
    const fused = fuseAsked(asked, shippedWeights[method]);
    const { view, index } = asked.candidates;
    const rows = firstRows(
      fused.rows,
      Math.min(comparedRanks, fused.rows.length),
      byScore(index, fused.scores),
    );
    const values = featuresOf({
      view,
      typed: asked.plan.terms,
      terms: asked.terms,
      fused,
      bestScores: bestScores(fused.rows, fused.scores, comparedRanks),
    })(rows);
    const hits = rows.map((row, i) => ({
      isRight: evidence.includes(turnIds.get(index.columns.docs[row]) ?? ''),
      values: values[i],
    }));
    return { method, user: talk.id, asked: toAsked(category), hits };
  });
}

function toAsked(category: string): Asked {
  return category === 'foreign' || category === 'training' || category === 'locked' ? category : 'own';
}
