type Numbers = Int32Array | Float64Array;

const none: readonly number[] = [];
const firstCapacity = 64;

/**
 * A list of numbers for each row, all in one array: an array
 * for each row takes 50 bytes more, and time of the GC.
 */
export class NumberListColumn<N extends Numbers> {
  #numbers: N;
  #starts = new Int32Array(firstCapacity);
  #counts = new Int32Array(firstCapacity);
  /** Number of elements in use, including lists that were replaced by longer ones. */
  #end = 0;

  /** @param numbers an array of the type to use */
  constructor(numbers: N) {
    this.#numbers = numbers;
  }

  get bytes(): number {
    return this.#numbers.byteLength + this.#starts.byteLength + this.#counts.byteLength;
  }

  countOf(row: number): number {
    return this.#counts[row];
  }

  /** The number at a place of a row's list, below its count. */
  at(row: number, place: number): number {
    return this.#numbers[this.#starts[row] + place];
  }

  listOf(row: number): readonly number[] {
    const count = this.#counts[row];
    if (count === 0) return none;
    const list = new Array<number>(count);
    for (let i = 0; i < count; i++) list[i] = this.at(row, i);
    return list;
  }

  hasAny(row: number, numbers: ReadonlySet<number>): boolean {
    for (let i = 0; i < this.#counts[row]; i++) if (numbers.has(this.at(row, i))) return true;
    return false;
  }

  set(row: number, list: readonly number[]): void {
    this.#reserve(row + 1, this.#end + list.length);
    if (list.length > this.#counts[row]) {
      this.#starts[row] = this.#end;
      this.#end += list.length;
    }
    this.#numbers.set(list, this.#starts[row]);
    this.#counts[row] = list.length;
  }

  /** Sets the lists of successive rows that have none yet, from `row` on. */
  append(row: number, { counts, numbers }: NumberLists, standsFor?: ArrayLike<number>): void {
    this.#reserve(row + counts.length, this.#end + numbers.length);
    this.#counts.set(counts, row);
    let start = this.#end;
    for (let i = 0; i < counts.length; i++) {
      this.#starts[row + i] = start;
      start += counts[i];
    }
    if (standsFor)
      for (let i = 0; i < numbers.length; i++) this.#numbers[this.#end + i] = standsFor[numbers[i]];
    else this.#numbers.set(numbers, this.#end);
    this.#end = start;
  }

  #reserve(rows: number, numbers: number): void {
    if (rows > this.#starts.length) {
      this.#starts = enlarged(this.#starts, rows);
      this.#counts = enlarged(this.#counts, rows);
    }
    if (numbers > this.#numbers.length) this.#numbers = enlarged(this.#numbers, numbers);
  }
}

function enlarged<N extends Numbers>(numbers: N, needed: number): N {
  const Type = numbers.constructor as new (length: number) => N;
  const larger = new Type(Math.max(needed, Math.ceil(1.5 * numbers.length)));
  larger.set(numbers);
  return larger;
}

/** Lists of numbers of successive rows: the length of each, then the numbers of all. */
export interface NumberLists {
  readonly counts: Int32Array;
  readonly numbers: Float64Array;
}

/** A function that returns the list of the next row at each call, from the first on. */
export function listsOf(
  { counts, numbers }: NumberLists,
  standsFor: (number: number) => number = (number) => number,
): () => readonly number[] {
  let row = 0;
  let from = 0;
  return () => {
    const count = counts[row++];
    if (count === 0) return none;
    const list = new Array<number>(count);
    for (let i = 0; i < count; i++) list[i] = standsFor(numbers[from + i]);
    from += count;
    return list;
  };
}

export function numberListsOf(rows: number, listOf: (row: number) => readonly number[]): NumberLists {
  const counts = new Int32Array(rows);
  const numbers: number[] = [];
  for (let row = 0; row < rows; row++) {
    const list = listOf(row);
    counts[row] = list.length;
    for (const number of list) numbers.push(number);
  }
  return { counts, numbers: Float64Array.from(numbers) };
}
