/** One answered question: ids of the turns found, best first, and of those that hold the answer. */
export interface RankedQuestion {
  category: string;
  evidence: readonly string[];
  found: readonly string[];
}

/** Means over questions, each in [0, 1]. */
export interface Scores {
  questions: number;
  recall5: number;
  recall10: number;
  recall20: number;
  /** Over the first 20 results. */
  mrr: number;
}

export const resultsMax = 20;

/** The share of the evidence among the first `k` results. */
export function recallAt(k: number, { evidence, found }: RankedQuestion): number {
  const first = new Set(found.slice(0, k));
  const requested = new Set(evidence);
  return [...requested].filter((id) => first.has(id)).length / requested.size;
}

/** 1 / the rank of the first evidence among the first 20 results; 0 when none is there. */
export function reciprocalRank({ evidence, found }: RankedQuestion): number {
  const rank = found.slice(0, resultsMax).findIndex((id) => evidence.includes(id));
  return rank === -1 ? 0 : 1 / (rank + 1);
}

export function toScores(questions: readonly RankedQuestion[]): Scores {
  return {
    questions: questions.length,
    recall5: mean(questions.map((question) => recallAt(5, question))),
    recall10: mean(questions.map((question) => recallAt(10, question))),
    recall20: mean(questions.map((question) => recallAt(20, question))),
    mrr: mean(questions.map(reciprocalRank)),
  };
}

/** Scores by category, in the order of the alphabet, and of all questions together under `all`. */
export function toScoresByCategory(questions: readonly RankedQuestion[]): Record<string, Scores> {
  const categories = [...new Set(questions.map(({ category }) => category))].sort();
  const scores = categories.map((name): [string, Scores] => [
    name,
    toScores(questions.filter(({ category }) => category === name)),
  ]);
  return { ...Object.fromEntries(scores), all: toScores(questions) };
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
