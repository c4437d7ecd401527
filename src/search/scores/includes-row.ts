/** @param rows rising */
export function includesRow(rows: Int32Array, row: number): boolean {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle] < row) low = middle + 1;
    else high = middle;
  }
  return rows[low] === row;
}
