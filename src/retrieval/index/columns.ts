type Column = Float64Array | Int32Array | Uint8Array;

function enlarge<C extends Column>(column: C, capacity: number): C {
  const Type = column.constructor as new (length: number) => C;
  const larger = new Type(capacity);
  larger.set(column as never);
  return larger;
}

/** Columns of the versions of one user's memories, one row a version, in order of doc. */
export class Columns {
  /** Ids of the versions in the keyword index, rising. */
  docs = new Float64Array(64);
  /** The memory that a version belongs to. */
  seqs = new Float64Array(64);
  openedAt = new Float64Array(64);
  /** Infinity while the version is the newest one. */
  closedAt = new Float64Array(64);
  /** NaN where the memory has none. */
  eventTime = new Float64Array(64);
  /** NaN where not stated. */
  validFrom = new Float64Array(64);
  /** Infinity where the memory never expires. */
  validTo = new Float64Array(64);
  createdAt = new Float64Array(64);
  updatedAt = new Float64Array(64);
  conversation = new Int32Array(64);
  speaker = new Int32Array(64);
  /** Number of terms, the length of BM25. */
  termCount = new Int32Array(64);
  memoryType = new Uint8Array(64);
  effectiveState = new Uint8Array(64);
  traits = new Uint8Array(64);
  trashed = new Uint8Array(64);
  /** 1 for what a search now may see: the newest version of a memory that is not in the trash. */
  live = new Uint8Array(64);

  get capacity(): number {
    return this.docs.length;
  }

  get bytes(): number {
    return this.capacity * (9 * 8 + 3 * 4 + 5);
  }

  /** Event time, else ingestion time: what orders memories in a conversation. */
  orderTime(row: number): number {
    const time = this.eventTime[row];
    return Number.isNaN(time) ? this.createdAt[row] : time;
  }

  reserve(rows: number): void {
    if (rows <= this.capacity) return;
    const capacity = Math.max(rows, this.capacity * 2);
    this.docs = enlarge(this.docs, capacity);
    this.seqs = enlarge(this.seqs, capacity);
    this.openedAt = enlarge(this.openedAt, capacity);
    this.closedAt = enlarge(this.closedAt, capacity);
    this.eventTime = enlarge(this.eventTime, capacity);
    this.validFrom = enlarge(this.validFrom, capacity);
    this.validTo = enlarge(this.validTo, capacity);
    this.createdAt = enlarge(this.createdAt, capacity);
    this.updatedAt = enlarge(this.updatedAt, capacity);
    this.conversation = enlarge(this.conversation, capacity);
    this.speaker = enlarge(this.speaker, capacity);
    this.termCount = enlarge(this.termCount, capacity);
    this.memoryType = enlarge(this.memoryType, capacity);
    this.effectiveState = enlarge(this.effectiveState, capacity);
    this.traits = enlarge(this.traits, capacity);
    this.trashed = enlarge(this.trashed, capacity);
    this.live = enlarge(this.live, capacity);
  }
}
