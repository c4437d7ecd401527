/** The highest `count` scores of these rows, highest first; fewer if there are fewer rows. */
export function bestScores(rows: ArrayLike<number>, scores: Float64Array, count: number): number[] {
  const best: number[] = [];
  for (let i = 0; i < rows.length; i++) {
    const score = scores[rows[i]];
    // Nearly every row lies below the best few: one comparison for each.
    if (best.length === count && score <= best[count - 1]) continue;
    let at = best.length < count ? best.length : count - 1;
    for (; at > 0 && best[at - 1] < score; at--) best[at] = best[at - 1];
    best[at] = score;
  }
  return best;
}
