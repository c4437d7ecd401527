import { cosineAtSimilarity, similarityOf } from '../../domain/embedding/similarity.ts';
import type { EmbedderOf } from '../../domain/embedding/space-embedder.ts';
import type { Evidence, FoundSignal, Reached, Scale, SignalSpec } from '../fuse/signal.ts';
import type { IndexView } from '../index/index-view.ts';
import { meanOfBest } from '../rank/mean-of-best.ts';
import type { QueryVectors } from '../vectors/query-vectors.ts';
import type { Arm, ArmContext } from './arm.ts';
import { nearInSpaces } from './near-in-spaces.ts';
import type { CosineByRow } from './nearest-cosines.ts';

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

export interface SemanticArmDeps {
  readonly embedderOf: EmbedderOf;
  readonly queryVectors: QueryVectors;
  /** The longest a search waits for the vector of its query. */
  readonly queryTimeoutMs: number;
}

/** Finds memories by the vectors of their texts. */
export function semanticArm({ embedderOf, queryVectors, queryTimeoutMs }: SemanticArmDeps): Arm {
  return {
    name: 'semantic',
    signals: [semantic],
    waitMs: queryTimeoutMs,
    isAsked: ({ method }) => method !== 'keyword',
    run: async (context) => {
      const near = await nearInSpaces(context, { embedderOf, queryVectors });
      return [semanticSignal(context, near.cosines, near.relatedCosine)];
    },
  };
}

/** What any two texts share gives nothing: two thirds of the cosine at which two texts are plausibly related. */
const floorShare = 2 / 3;

/** Rows whose cosine reaches the threshold, scored by what lies above the floor. */
function semanticSignal(
  { plan: { threshold }, view }: ArmContext,
  cosines: CosineByRow,
  relatedCosine: number,
): FoundSignal {
  const { index, size } = view;
  const least = cosineAtSimilarity(threshold, relatedCosine);
  const scores = new Float64Array(size + 1);
  const rows: number[] = [];
  for (const [row, cosine] of cosines) {
    if (cosine < least) continue;
    scores[row] = Math.max(0, cosine - floorShare * relatedCosine);
    rows.push(row);
  }
  const reaches = (cosine: number) => similarityOf(cosine, relatedCosine) >= threshold;
  return {
    spec: semantic,
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
function scaleOf(rows: readonly number[], scores: Float64Array, { passes }: Reached): Scale {
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

/** Of rows as near as each other the one written last comes first. Few are asked for: counting costs less than sorting all. */
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
