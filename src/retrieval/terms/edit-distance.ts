/**
 * Fewest insertions, deletions, replacements and swaps of neighbours that make `b` of `a` (optimal string alignment),
 * in UTF-16 units.
 * @returns `max + 1` for everything above `max`
 */
export function editDistance(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return max + 1;
  let [twoBack, back, row] = [
    [] as number[],
    [] as number[],
    Array.from({ length: b.length + 1 }, (_, j) => j),
  ];
  for (let i = 1; i <= a.length; i++) {
    [twoBack, back, row] = [back, row, [i]];
    let best = i;
    for (let j = 1; j <= b.length; j++) {
      const replaced = back[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(back[j] + 1, row[j - 1] + 1, replaced);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) row[j] = Math.min(row[j], twoBack[j - 2] + 1);
      best = Math.min(best, row[j]);
    }
    if (best > max) return max + 1;
  }
  return Math.min(row[b.length], max + 1);
}
