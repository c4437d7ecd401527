import { type RankedQuestion, type Scores, toScores } from '../locomo/score.ts';
import { kindOf } from './talk-set.ts';

/** By kind of user, in the order of the alphabet, and of all questions under `all`. @param questions by id of the user */
export function toScoresByKind(
  questions: Readonly<Record<string, readonly RankedQuestion[]>>,
): Record<string, Scores> {
  const byKind = new Map<string, RankedQuestion[]>();
  for (const [id, asked] of Object.entries(questions))
    byKind.set(kindOf(id), [...(byKind.get(kindOf(id)) ?? []), ...asked]);
  const sorted = [...byKind].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...Object.fromEntries(sorted.map(([kind, asked]) => [kind, toScores(asked)])),
    all: toScores(Object.values(questions).flat()),
  };
}

/** The largest difference between two runs in recall@10 or MRR, of any kind of user and of all. */
export function largestDifference(a: Record<string, Scores>, b: Record<string, Scores>): number {
  const differences = Object.keys(a).flatMap((kind) => [
    Math.abs(a[kind].recall10 - b[kind].recall10),
    Math.abs(a[kind].mrr - b[kind].mrr),
  ]);
  return Math.max(...differences);
}
