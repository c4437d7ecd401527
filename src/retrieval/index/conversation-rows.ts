import type { Columns } from './columns.ts';

const none: readonly number[] = [];

/** Stands for "nothing before" or "nothing after" in the links between rows. */
export const noRow = -1;

/**
 * The rows of each conversation in its order (event time else ingestion time, then order of writing), and for each
 * live row its live neighbours, as links, so that looking at neighbours costs one array read.
 */
export class ConversationRows {
  readonly #columns: Columns;
  readonly #rows: number[][] = [];
  /** Conversations whose rows have been added to or changed since they were last put in order. */
  readonly #stale = new Set<number>();
  #previous = new Int32Array(64).fill(noRow);
  #next = new Int32Array(64).fill(noRow);
  #count = 0;

  constructor(columns: Columns) {
    this.#columns = columns;
  }

  get bytes(): number {
    return this.#count * 8 + this.#rows.length * 32 + this.#next.length * 8;
  }

  add(row: number): void {
    const conversation = this.#columns.conversation[row];
    this.#rows[conversation] ??= [];
    this.#rows[conversation].push(row);
    this.#stale.add(conversation);
    this.#count++;
  }

  /** The row was closed, trashed or restored: its neighbours are others now. */
  touch(row: number): void {
    this.#stale.add(this.#columns.conversation[row]);
  }

  /** Every version in the conversation, those closed and trashed included. */
  of(conversation: number): readonly number[] {
    this.#relink();
    return this.#rows[conversation] ?? none;
  }

  /** The live row before each live row in its conversation, or `noRow`; true until the next `apply`. */
  get previous(): Int32Array {
    this.#relink();
    return this.#previous;
  }

  get next(): Int32Array {
    this.#relink();
    return this.#next;
  }

  #relink(): void {
    if (this.#stale.size === 0) return;
    if (this.#next.length < this.#columns.capacity) this.#grow(this.#columns.capacity);
    for (const conversation of this.#stale) this.#link(this.#rows[conversation] ?? []);
    this.#stale.clear();
  }

  #grow(capacity: number): void {
    const [previous, next] = [this.#previous, this.#next];
    this.#previous = new Int32Array(capacity).fill(noRow);
    this.#next = new Int32Array(capacity).fill(noRow);
    this.#previous.set(previous);
    this.#next.set(next);
  }

  #link(rows: number[]): void {
    rows.sort((a, b) => this.#compare(a, b));
    let before = noRow;
    for (const row of rows) {
      this.#next[row] = noRow;
      this.#previous[row] = noRow;
      if (this.#columns.live[row] !== 1) continue;
      this.#previous[row] = before;
      if (before !== noRow) this.#next[before] = row;
      before = row;
    }
  }

  #compare(a: number, b: number): number {
    const { seqs, docs } = this.#columns;
    return this.#columns.orderTime(a) - this.#columns.orderTime(b) || seqs[a] - seqs[b] || docs[a] - docs[b];
  }
}
