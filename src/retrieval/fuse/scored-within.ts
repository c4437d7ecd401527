import type { IndexView, Links } from '../index/index-view.ts';

/** What rows are scored within. */
export interface ScoredWithin {
  readonly view: IndexView;
  /** Those that are scored. */
  readonly rows: Int32Array;
  /** Absent where memories are judged alone. */
  readonly links: Links | undefined;
}
