type Column = Float64Array | Int32Array | Uint8Array;

/** All columns in the order of segments. A change of the order requires a new segment format. */
export const columnNames = [
  'docs',
  'seqs',
  'openedAt',
  'closedAt',
  'eventTime',
  'validFrom',
  'validTo',
  'createdAt',
  'updatedAt',
  'conversation',
  'speaker',
  'termCount',
  'memoryType',
  'effectiveState',
  'traits',
  'trashed',
  'live',
] as const;

const firstCapacity = 64;

function enlarge<C extends Column>(column: C, capacity: number): C {
  const Type = column.constructor as new (length: number) => C;
  const larger = new Type(capacity);
  larger.set(column as never);
  return larger;
}

/** Columns of the versions of one user's memories, one row a version, in order of doc. */
export class Columns {
  /** Ids of the versions in the keyword index, rising. */
  docs: Float64Array;
  /** The memory that a version belongs to. */
  seqs: Float64Array;
  openedAt: Float64Array;
  /** Infinity while the version is the newest one. */
  closedAt: Float64Array;
  /** NaN if the memory has none. */
  eventTime: Float64Array;
  /** NaN if not stated. */
  validFrom: Float64Array;
  /** Infinity if the memory never expires. */
  validTo: Float64Array;
  createdAt: Float64Array;
  updatedAt: Float64Array;
  conversation: Int32Array;
  speaker: Int32Array;
  /** Number of terms, the length of BM25. */
  termCount: Int32Array;
  memoryType: Uint8Array;
  effectiveState: Uint8Array;
  traits: Uint8Array;
  trashed: Uint8Array;
  /** 1 if a current search may see the version: the newest one of a memory that is not in the trash. */
  live: Uint8Array;

  constructor(capacity = firstCapacity) {
    this.docs = new Float64Array(capacity);
    this.seqs = new Float64Array(capacity);
    this.openedAt = new Float64Array(capacity);
    this.closedAt = new Float64Array(capacity);
    this.eventTime = new Float64Array(capacity);
    this.validFrom = new Float64Array(capacity);
    this.validTo = new Float64Array(capacity);
    this.createdAt = new Float64Array(capacity);
    this.updatedAt = new Float64Array(capacity);
    this.conversation = new Int32Array(capacity);
    this.speaker = new Int32Array(capacity);
    this.termCount = new Int32Array(capacity);
    this.memoryType = new Uint8Array(capacity);
    this.effectiveState = new Uint8Array(capacity);
    this.traits = new Uint8Array(capacity);
    this.trashed = new Uint8Array(capacity);
    this.live = new Uint8Array(capacity);
  }

  get capacity(): number {
    return this.docs.length;
  }

  get bytes(): number {
    return this.capacity * (9 * 8 + 3 * 4 + 5);
  }

  /** Event time, else ingestion time: the order of memories in a conversation. */
  orderTime(row: number): number {
    const time = this.eventTime[row];
    return Number.isNaN(time) ? this.createdAt[row] : time;
  }

  /**
   * Copies the row `from` of `other` to the row `at`. The
   * caller translates numbers of conversations and speakers.
   */
  copy(at: number, other: Columns, from: number): void {
    this.docs[at] = other.docs[from];
    this.seqs[at] = other.seqs[from];
    this.openedAt[at] = other.openedAt[from];
    this.closedAt[at] = other.closedAt[from];
    this.eventTime[at] = other.eventTime[from];
    this.validFrom[at] = other.validFrom[from];
    this.validTo[at] = other.validTo[from];
    this.createdAt[at] = other.createdAt[from];
    this.updatedAt[at] = other.updatedAt[from];
    this.conversation[at] = other.conversation[from];
    this.speaker[at] = other.speaker[from];
    this.termCount[at] = other.termCount[from];
    this.memoryType[at] = other.memoryType[from];
    this.effectiveState[at] = other.effectiveState[from];
    this.traits[at] = other.traits[from];
    this.trashed[at] = other.trashed[from];
    this.live[at] = other.live[from];
  }

  /** Copies the first `count` rows of `other` to the rows from `at` on, which must have room. */
  copyAll(at: number, other: Columns, count: number): void {
    for (const name of columnNames) this[name].set(other[name].subarray(0, count), at);
  }

  reserve(rows: number): void {
    if (rows <= this.capacity) return;
    const capacity = Math.max(rows, this.capacity * 2);
    for (const name of columnNames) Object.assign(this, { [name]: enlarge<Column>(this[name], capacity) });
  }
}

/** Numbers strings from 0, in order of first sight, for numeric columns. */
export class Interner {
  readonly #numbers = new Map<string, number>();
  readonly #values: string[] = [];

  get size(): number {
    return this.#values.length;
  }

  /** Strings in order of their numbers. */
  get values(): readonly string[] {
    return this.#values;
  }

  intern(value: string): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    const number = this.#values.length;
    this.#numbers.set(value, number);
    this.#values.push(value);
    return number;
  }

  /** -1 for an unknown value. */
  find(value: string): number {
    return this.#numbers.get(value) ?? -1;
  }

  value(number: number): string {
    return this.#values[number];
  }
}
