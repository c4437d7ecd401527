import { cosineAtSimilarity, similarityOf } from '../../domain/embedding/similarity.ts';
import type { IndexView } from '../../search-index/rows/index-view.ts';
import { meanOfBest } from '../scores/conversation-scores.ts';
import type { Arm, ArmContext } from './arm.ts';
import { type Near, type NearDeps, nearInSpaces } from './near-in-spaces.ts';
import type { CosineByRow } from './nearest-cosines.ts';
import type { Evidence, FoundSignal, Reached, Scale, Signal, SignalSpec } from './signal.ts';

/** Similarity of vectors. */
export const semantic: SignalSpec = {
  name: 'semantic',
  group: 'vector',
  via: 'vector',
  parts: {
    self: 'its meaning',
    before: 'the meaning of the memory before it',
    after: 'the meaning of the memory after it',
    conversation: 'the meaning of the conversation',
  },
};

/** Memories by their vectors, with all cosines computed. */
export interface SemanticSignal extends FoundSignal {
  readonly near: Near;
}

export function isSemanticSignal(signal: Signal): signal is SemanticSignal {
  return 'near' in signal;
}

export interface SemanticArmDeps extends NearDeps {
  /** Maximum wait for the vector of the query. */
  readonly queryTimeoutMs: number;
}

/** Finds memories by the vectors of their texts. */
export function semanticArm({ queryTimeoutMs, ...deps }: SemanticArmDeps): Arm {
  return {
    name: 'semantic',
    signals: [semantic],
    waitMs: queryTimeoutMs,
    isAsked: ({ method }) => method !== 'keyword',
    run: async (context) => {
      const near = await nearInSpaces(context, deps);
      return [semanticSignal(context, near)];
    },
  };
}

/**
 * The similarity of any two texts counts nothing: two thirds
 * of the cosine at which texts are plausibly related.
 */
const floorShare = 2 / 3;

/** Rows with a cosine of at least the threshold, scored by the cosine above the floor. */
function semanticSignal({ plan: { threshold }, view }: ArmContext, near: Near): SemanticSignal {
  const { cosines, relatedCosine } = near;
  const { index, size, arrays } = view;
  const least = cosineAtSimilarity(threshold, relatedCosine);
  const scores = arrays.numbers(size + 1);
  const reaching: number[] = [];
  for (const [row, cosine] of cosines) {
    if (cosine < least) continue;
    scores[row] = Math.max(0, cosine - floorShare * relatedCosine);
    reaching.push(row);
  }
  const rows = Int32Array.from(reaching);
  const reaches = (cosine: number) => similarityOf(cosine, relatedCosine) >= threshold;
  return {
    spec: semantic,
    near,
    rows,
    scores,
    scale: (reached) => scaleOf(rows, scores, reached),
    conversationScores: () => meanOfBest(index, scores, rows),
    measureOf: (row) => {
      const cosine = cosines.get(row);
      return cosine !== undefined && reaches(cosine) ? similarityOf(cosine, relatedCosine) : null;
    },
    explain: (page) => explainSimilarity(page, { view, cosines, reaches, relatedCosine }),
  };
}

/** The nearest row that passes counts as 1. */
function scaleOf(rows: Int32Array, scores: Float64Array, { passes }: Reached): Scale {
  let unit = 0;
  for (const row of rows) if (scores[row] > unit && passes(row)) unit = scores[row];
  return { perWeight: 1, perScore: 1 / (unit || 1), best: 1, unit };
}

interface Similarities {
  readonly view: IndexView;
  readonly cosines: CosineByRow;
  readonly reaches: (cosine: number) => boolean;
  readonly relatedCosine: number;
}

/**
 * Evidence by similarity. Among equally similar rows the one written last
 * is first. Few rows are explained, so counting is faster than sorting all.
 */
function explainSimilarity(
  page: readonly number[],
  { view, cosines, reaches, relatedCosine }: Similarities,
): (Evidence | undefined)[] {
  const { seqs } = view.index.columns;
  const rows: number[] = [];
  const reaching: number[] = [];
  for (const [row, cosine] of cosines) {
    if (!reaches(cosine)) continue;
    rows.push(row);
    reaching.push(cosine);
  }
  return page.map((row) => {
    const own = cosines.get(row);
    if (own === undefined || !reaches(own)) return undefined;
    let rank = 1;
    for (let i = 0; i < rows.length; i++) {
      if (reaching[i] < own) continue;
      if (reaching[i] > own || seqs[rows[i]] > seqs[row]) rank++;
    }
    return { rank, reasonRank: 3, describe: () => described(similarityOf(own, relatedCosine)) };
  });
}

function described(similarity: number) {
  return {
    reason: `Is near in meaning: similarity ${similarity.toFixed(2)}.`,
    notes: [`similarity ${similarity.toFixed(3)}`],
  };
}
