import type { Write } from '../shared/write.ts';
import type { TrashCounts, TrashEntry } from './trash.ts';

/** Restore and erase of one kind of record. */
export interface TrashHandler {
  /**
   * Brings the record back as it was; the entry is removed by the caller.
   * @returns what came back
   * @throws 409 where something stands in its place
   */
  restore(write: Write, entry: TrashEntry): Promise<TrashCounts>;
  /**
   * Erases a bounded part of the record, again and again until nothing is left: it may have been interrupted before.
   * @returns whether anything is left
   */
  eraseStep(write: Write, entry: TrashEntry): Promise<boolean>;
}
