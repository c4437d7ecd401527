/** The value below which the share `q` of the sorted values lies (nearest rank). @throws Error when there are none */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)];
  if (value === undefined) throw new Error('hollow: nothing was measured');
  return value;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}
