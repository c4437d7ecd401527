/** Lists of numbers of successive rows: the length of each, then the numbers of all. */
export interface NumberLists {
  readonly counts: Int32Array;
  readonly numbers: Float64Array;
}

const none: readonly number[] = [];

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
