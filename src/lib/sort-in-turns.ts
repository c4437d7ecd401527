import { Breather } from './loop-time.ts';

/** Items sorted at once: some milliseconds. */
const runLength = 2000;

/** The items in a stable order; other work goes between, so that a list of 100,000 delays no request. */
export async function sortInTurns<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
): Promise<readonly T[]> {
  const breather = new Breather();
  let runs: T[][] = [];
  for (let from = 0; from < items.length; from += runLength) {
    runs.push(items.slice(from, from + runLength).sort(compare));
    await breather.pause();
  }
  const merged = async (a: readonly T[], b: readonly T[]) => {
    const all: T[] = [];
    for (let [i, j] = [0, 0]; i < a.length || j < b.length; ) {
      const isFirst = j >= b.length || (i < a.length && compare(a[i], b[j]) <= 0);
      all.push(isFirst ? a[i++] : b[j++]);
      if (all.length % runLength === 0) await breather.pause();
    }
    return all;
  };
  while (runs.length > 1) {
    const longer: T[][] = [];
    for (let i = 0; i < runs.length; i += 2)
      longer.push(i + 1 < runs.length ? await merged(runs[i], runs[i + 1]) : runs[i]);
    runs = longer;
  }
  return runs[0] ?? [];
}
