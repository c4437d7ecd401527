import type { Memory } from '../../domain/memories/memory.ts';
import type { NewerMemory } from '../../domain/relationships/relationship.ts';
import type { RowTest } from '../../search-index/columns/row-set.ts';
import type { IndexReader } from '../../search-index/ports.ts';
import type { DocCache } from '../../search-index/rows/doc-cache.ts';
import type { IndexView } from '../../search-index/rows/index-view.ts';
import type { TextTraits } from '../../search-index/rows/text-traits.ts';
import type { FoundPassages } from '../passages/find-passages.ts';
import type { SearchPlan } from '../query/plan.ts';
import type { LiveTerm } from '../query/words/live-terms.ts';
import type { Fused } from './fuse/fuse.ts';
import type { Weights } from './fuse/weights.ts';

/** Changes scores of the matches of a weighted sum, and with them their order; never the set of matches. */
export interface Rescorer {
  readonly name: string;
  /** Whether it takes part in a search. */
  applies(plan: SearchPlan): boolean;
  /** Returns `ranked` itself if nothing changes. */
  rescore(ranked: Fused, context: RankContext): Promise<Fused>;
}

/** Data that rescorers may read. */
export interface RankContext {
  readonly plan: SearchPlan;
  readonly view: IndexView;
  readonly passes: RowTest;
  readonly terms: readonly LiveTerm[];
  /** Weights of the sum. */
  readonly weights: Weights;
  readonly reader: IndexReader;
  readonly traits: DocCache<TextTraits>;
  readonly passages: FoundPassages;
  /** Records of rows, in the same order; erased ones are missing. */
  memoriesOf(rows: readonly number[]): Promise<readonly Memory[]>;
  /** See `RelationshipReader.newerOf`, at the time of the search. */
  newerOf(seqs: readonly number[]): Promise<ReadonlyMap<number, readonly NewerMemory[]>>;
  /** By seq of a memory, from -1 to 1; undefined without search feedback. */
  preferences(): Promise<Float64Array | undefined>;
}

/** The weighted sum, and the ranking after all rescorers. */
export interface Ranked {
  readonly sum: Fused;
  readonly last: Fused;
}

export async function rescore(
  sum: Fused,
  rescorers: readonly Rescorer[],
  context: RankContext,
): Promise<Ranked> {
  let last = sum;
  for (const rescorer of rescorers)
    if (rescorer.applies(context.plan)) last = await rescorer.rescore(last, context);
  return { sum, last };
}
