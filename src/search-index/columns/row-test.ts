/** Test of a row of a user's index. */
export type RowTest = (row: number) => boolean;

/** The `rows` that pass, in their order. A loop: `filter` of a typed array takes several times as long. */
export function rowsPassing(rows: ArrayLike<number>, passes: RowTest): Int32Array {
  const found = new Int32Array(rows.length);
  let count = 0;
  for (let i = 0; i < rows.length; i++) if (passes(rows[i])) found[count++] = rows[i];
  return found.subarray(0, count);
}
