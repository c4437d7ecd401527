import type { Conversation } from '../../bench/locomo/data-set.ts';
import type { InProcess } from '../../bench/locomo/rank-in-process.ts';

/** The candidates of one question, with the input of the network and the evidence labels. */
export interface LabelledQuestion {
  readonly user: string;
  /** Features, one candidate after another. */
  readonly values: Float32Array;
  /** Weighted sum of each candidate. */
  readonly sums: Float64Array;
  /** 1 for each candidate that is evidence, otherwise 0. */
  readonly isEvidence: Uint8Array;
  /** Number of all evidence, including evidence that is not a candidate. */
  readonly evidenceCount: number;
}

/** Asks every n-th question of a user; skips questions without candidates. */
export async function labelledQuestions(
  store: InProcess,
  user: Conversation,
  every = 1,
): Promise<LabelledQuestion[]> {
  const asked = { ...user, questions: user.questions.filter((_, i) => i % every === 0) };
  const { turnIds, questions } = await store.prepare(asked, 'hybrid', undefined, user);
  const labelled: LabelledQuestion[] = [];
  for (const each of questions) {
    const examined = await store.examine(each);
    if (!examined) continue;
    const { docs } = each.asked.candidates.index.columns;
    const evidence = new Set(each.question.evidence);
    const { candidates, shares, values } = examined;
    const features = shares.values.length / candidates.length;
    labelled.push({
      user: user.id,
      values: Float32Array.from(values),
      sums: Float64Array.from(candidates, (_, i) =>
        shares.values.subarray(i * features, (i + 1) * features).reduce((sum, value) => sum + value, 0),
      ),
      isEvidence: Uint8Array.from(candidates, ({ row }) =>
        evidence.has(turnIds.get(docs[row]) ?? '') ? 1 : 0,
      ),
      evidenceCount: evidence.size,
    });
  }
  return labelled;
}

export function candidatesOf({ isEvidence }: LabelledQuestion): number {
  return isEvidence.length;
}

/** Recall@10, and 1 / rank of the first evidence among the first twenty, in the order of these scores. */
export function measuresOf(
  { isEvidence, evidenceCount }: LabelledQuestion,
  scores: ArrayLike<number>,
): { readonly recall10: number; readonly mrr: number } {
  const order = Array.from(isEvidence.keys()).sort((a, b) => scores[b] - scores[a] || a - b);
  const found = order.slice(0, 10).reduce((sum, i) => sum + isEvidence[i], 0);
  const first = order.slice(0, 20).findIndex((i) => isEvidence[i] === 1);
  return { recall10: found / evidenceCount, mrr: first < 0 ? 0 : 1 / (first + 1) };
}
