import type { IndexView, Links } from '../../../search-index/rows/index-view.ts';

/** The rows to score, and their context. */
export interface ScoredWithin {
  readonly view: IndexView;
  /** The rows to score. */
  readonly rows: Int32Array;
  /** Absent if memories are judged alone. */
  readonly links: Links | undefined;
}
