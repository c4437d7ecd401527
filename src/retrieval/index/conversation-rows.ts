import type { UserIndex } from './user-index.ts';

const none: readonly number[] = [];

/** The rows of each conversation in its order: event time else ingestion time, then order of writing. */
export class ConversationRows {
  readonly #index: UserIndex;
  readonly #rows: number[][] = [];
  /** Conversations with rows added since they were last put in order. */
  readonly #unordered = new Set<number>();
  #count = 0;

  constructor(index: UserIndex) {
    this.#index = index;
  }

  get bytes(): number {
    return this.#count * 8 + this.#rows.length * 32;
  }

  add(row: number): void {
    const conversation = this.#index.columns.conversation[row];
    this.#rows[conversation] ??= [];
    const rows = this.#rows[conversation];
    if (rows.length > 0 && this.#compare(rows[rows.length - 1], row) > 0) this.#unordered.add(conversation);
    rows.push(row);
    this.#count++;
  }

  /** Every version in the conversation, those closed and trashed included. */
  of(conversation: number): readonly number[] {
    const rows = this.#rows[conversation];
    if (rows === undefined) return none;
    if (this.#unordered.delete(conversation)) rows.sort((a, b) => this.#compare(a, b));
    return rows;
  }

  #compare(a: number, b: number): number {
    const { seqs, docs } = this.#index.columns;
    return this.#index.orderTime(a) - this.#index.orderTime(b) || seqs[a] - seqs[b] || docs[a] - docs[b];
  }
}
