/** The highest score of these rows; 0 if none is above it. */
export function bestOf(rows: ArrayLike<number>, scores: Float64Array): number {
  let best = 0;
  for (let i = 0; i < rows.length; i++) if (scores[rows[i]] > best) best = scores[rows[i]];
  return best;
}
