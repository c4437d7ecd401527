const firstBytes = 128;

/** Set of row numbers, with a bit for each. */
export class RowSet {
  size = 0;
  #bits = new Uint8Array(firstBytes);

  get bytes(): number {
    return this.#bits.byteLength;
  }

  has(row: number): boolean {
    return (this.#bits[row >> 3] & (1 << (row & 7))) !== 0;
  }

  add(row: number): void {
    const at = row >> 3;
    if (at >= this.#bits.length) this.#grow(at + 1);
    const bit = 1 << (row & 7);
    if ((this.#bits[at] & bit) !== 0) return;
    this.#bits[at] |= bit;
    this.size++;
  }

  clear(): void {
    this.#bits = new Uint8Array(firstBytes);
    this.size = 0;
  }

  #grow(bytes: number): void {
    const bits = new Uint8Array(Math.max(bytes, 2 * this.#bits.length));
    bits.set(this.#bits);
    this.#bits = bits;
  }
}

/** Test of a row of a user's index. */
export type RowTest = (row: number) => boolean;

/** The `rows` that pass, in their order. A loop: `filter` of a typed array takes several times as long. */
export function rowsPassing(rows: ArrayLike<number>, passes: RowTest): Int32Array {
  const found = new Int32Array(rows.length);
  let count = 0;
  for (let i = 0; i < rows.length; i++) if (passes(rows[i])) found[count++] = rows[i];
  return found.subarray(0, count);
}
