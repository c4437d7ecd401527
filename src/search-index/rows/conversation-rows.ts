import type { Columns } from '../columns/columns.ts';

/** Link of a row without a previous or next row. */
export const noRow = -1;

/** All rows are grouped again if more than this share was added since, and at least `addedMin`. */
const addedShareMax = 1 / 8;
const addedMin = 64;

/**
 * The rows of each conversation in its order (event time else ingestion time, then
 * order of writing), and links between its live rows: a neighbour costs one array read.
 */
export class ConversationRows {
  readonly #columns: Columns;
  /**
   * Rows below `#grouped`, by conversation; `#starts` has
   * the start of each conversation and the end of the last.
   */
  #rows = new Int32Array();
  #starts = new Int32Array(1);
  #grouped = 0;
  /** All rows of each conversation that has rows added since the grouping. */
  readonly #later = new Map<number, number[]>();
  /** Rows below this are in `#rows` or `#later`. */
  #known = 0;
  #count = 0;
  /** Conversations with changed rows, to be sorted and linked again. */
  readonly #stale = new Set<number>();
  #previous = new Int32Array();
  #next = new Int32Array();

  constructor(columns: Columns) {
    this.#columns = columns;
  }

  get bytes(): number {
    const later = this.#later.size * 128 + (this.#known - this.#grouped) * 8;
    return this.#rows.byteLength + this.#starts.byteLength + later + 2 * this.#next.byteLength;
  }

  /** @param row one after the row added last */
  add(row: number): void {
    this.#count = row + 1;
  }

  /** The row was closed, trashed or restored: links of its conversation are stale. */
  touch(row: number): void {
    // Later rows are linked when they become known.
    if (row < this.#known) this.#stale.add(this.#columns.conversation[row]);
  }

  /** Every version in the conversation, including closed and trashed ones; valid until the next `apply`. */
  of(conversation: number): ArrayLike<number> {
    this.#relink();
    return this.#rowsOf(conversation);
  }

  /** The previous live row in the conversation of each live row, or `noRow`; valid until the next `apply`. */
  get previous(): Int32Array {
    this.#relink();
    return this.#previous;
  }

  get next(): Int32Array {
    this.#relink();
    return this.#next;
  }

  #relink(): void {
    if (this.#stale.size === 0 && this.#known === this.#count) return;
    if (this.#next.length < this.#columns.capacity) this.#grow(this.#columns.capacity);
    if (this.#count - this.#grouped > Math.max(addedMin, this.#grouped * addedShareMax)) this.#group();
    else {
      for (let row = this.#known; row < this.#count; row++) this.#addLater(row);
      for (const conversation of this.#stale) {
        const rows = this.#rowsOf(conversation);
        this.#link(rows, 0, rows.length);
      }
    }
    this.#known = this.#count;
    this.#stale.clear();
  }

  #rowsOf(conversation: number): Int32Array | number[] {
    const later = this.#later.get(conversation);
    if (later) return later;
    const [from, end] = [this.#starts[conversation] ?? 0, this.#starts[conversation + 1] ?? 0];
    return this.#rows.subarray(from, Math.max(from, end));
  }

  #addLater(row: number): void {
    const conversation = this.#columns.conversation[row];
    const rows = this.#later.get(conversation);
    if (rows) rows.push(row);
    else this.#later.set(conversation, [...this.#rowsOf(conversation), row]);
    this.#stale.add(conversation);
  }

  /** Groups all rows by conversation with a counting sort. */
  #group(): void {
    const { conversation } = this.#columns;
    let conversations = 0;
    for (let row = 0; row < this.#count; row++)
      if (conversation[row] >= conversations) conversations = conversation[row] + 1;
    const starts = new Int32Array(conversations + 1);
    for (let row = 0; row < this.#count; row++) starts[conversation[row] + 1]++;
    for (let i = 0; i < conversations; i++) starts[i + 1] += starts[i];
    const places = starts.slice();
    const rows = new Int32Array(this.#count);
    for (let row = 0; row < this.#count; row++) rows[places[conversation[row]]++] = row;
    this.#rows = rows;
    this.#starts = starts;
    this.#grouped = this.#count;
    this.#later.clear();
    for (let i = 0; i < conversations; i++) this.#link(rows, starts[i], starts[i + 1]);
  }

  #grow(capacity: number): void {
    const [previous, next] = [this.#previous, this.#next];
    this.#previous = new Int32Array(capacity).fill(noRow, previous.length);
    this.#next = new Int32Array(capacity).fill(noRow, next.length);
    this.#previous.set(previous);
    this.#next.set(next);
  }

  /** Sorts and links the rows from `from` to `end`, all those of one conversation. */
  #link(rows: Int32Array | number[], from: number, end: number): void {
    if (!this.#areInOrder(rows, from, end)) this.#sort(rows, from, end);
    const { live } = this.#columns;
    const [previous, next] = [this.#previous, this.#next];
    let before = noRow;
    for (let i = from; i < end; i++) {
      const row = rows[i];
      next[row] = noRow;
      previous[row] = noRow;
      if (live[row] !== 1) continue;
      previous[row] = before;
      if (before !== noRow) next[before] = row;
      before = row;
    }
  }

  /** Rows are mostly written in the order of their conversation: a check costs less than sorting. */
  #areInOrder(rows: ArrayLike<number>, from: number, end: number): boolean {
    for (let i = from + 1; i < end; i++) if (this.#compare(rows[i - 1], rows[i]) > 0) return false;
    return true;
  }

  #sort(rows: Int32Array | number[], from: number, end: number): void {
    const part = Array.isArray(rows) ? rows : rows.subarray(from, end);
    part.sort((a, b) => this.#compare(a, b));
  }

  #compare(a: number, b: number): number {
    const { seqs, docs } = this.#columns;
    return this.#columns.orderTime(a) - this.#columns.orderTime(b) || seqs[a] - seqs[b] || docs[a] - docs[b];
  }
}
