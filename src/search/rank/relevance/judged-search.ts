import type { IndexView } from '../../../search-index/rows/index-view.ts';
import type { LiveTerm } from '../../query/words/live-terms.ts';
import type { Fused } from '../fuse/fuse.ts';

/** A query as it was read and what the arms found for it. */
export interface JudgedSearch {
  readonly view: IndexView;
  /** The query without what is read as a time. */
  readonly query: string;
  /** Terms as typed. */
  readonly typed: readonly string[];
  readonly terms: readonly LiveTerm[];
  readonly sum: Fused;
  /** The ranking after all rescorers. */
  readonly last: Fused;
  /** The highest ten, highest first: a hit's own is compared with the tenth. */
  readonly bestScores: readonly number[];
}
