import type { EpochMs } from '../../domain/shared/time.ts';
import type { Columns } from '../columns/columns.ts';
import { RowArrays } from '../columns/row-arrays.ts';
import { noRow } from './conversation-rows.ts';
import type { UserIndex } from './user-index.ts';

/** The row before and the row after each row in its conversation, or `noRow`. */
export interface Links {
  readonly previous: Int32Array;
  readonly next: Int32Array;
}

/** The view of an index that a search has: memories now, or at an earlier time. */
export interface IndexView {
  readonly index: UserIndex;
  /** Rows of the index when the search began; later ones are not visible. */
  readonly size: number;
  /** Buffers of the search, released at its end. */
  readonly arrays: RowArrays;
  /**
   * Whether the row is the newest version of its memory at
   * the time of the view; false if it is in the trash now.
   */
  isVisible(row: number): boolean;
  /** Neighbours among visible rows, valid for the conversations of the rows given. */
  linksAround(lists: readonly { readonly rows: ArrayLike<number> }[]): Links;
}

export function viewOf(index: UserIndex, asOf: EpochMs | undefined): IndexView {
  return asOf === undefined ? new CurrentView(index) : new AsOfView(index, asOf);
}

class CurrentView implements IndexView {
  readonly index: UserIndex;
  readonly size: number;
  readonly arrays = new RowArrays();
  readonly #columns: Columns;

  constructor(index: UserIndex) {
    this.index = index;
    this.size = index.size;
    this.#columns = index.columns;
  }

  isVisible(row: number): boolean {
    return row < this.size && this.#columns.live[row] === 1;
  }

  linksAround(): Links {
    return this.index.conversationRows;
  }
}

class AsOfView implements IndexView {
  readonly index: UserIndex;
  readonly size: number;
  readonly arrays = new RowArrays();
  readonly #asOf: EpochMs;

  constructor(index: UserIndex, asOf: EpochMs) {
    this.index = index;
    this.size = index.size;
    this.#asOf = asOf;
  }

  isVisible(row: number): boolean {
    const { trashed, openedAt, closedAt } = this.index.columns;
    return row < this.size && trashed[row] === 0 && openedAt[row] <= this.#asOf && this.#asOf < closedAt[row];
  }

  linksAround(lists: readonly { readonly rows: ArrayLike<number> }[]): Links {
    const { conversations, columns } = this.index;
    const { size } = this;
    const links = { previous: new Int32Array(size).fill(noRow), next: new Int32Array(size).fill(noRow) };
    const linked = new Uint8Array(conversations.size);
    for (const { rows } of lists) {
      for (let i = 0; i < rows.length; i++) {
        const conversation = columns.conversation[rows[i]];
        if (linked[conversation] === 1) continue;
        linked[conversation] = 1;
        this.#link(conversation, links);
      }
    }
    return links;
  }

  #link(conversation: number, { previous, next }: Links): void {
    let before = noRow;
    const rows = this.index.conversationRows.of(conversation);
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i];
      if (!this.isVisible(row)) continue;
      previous[row] = before;
      if (before !== noRow) next[before] = row;
      before = row;
    }
  }
}
