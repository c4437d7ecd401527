import type { DerivedReader } from '../../../search-index/ports.ts';
import type { UserIndex } from '../../../search-index/rows/user-index.ts';
import { isOfPeriod, type NamedPeriod } from './named-periods.ts';
import type { NamedTime } from './times-in-texts.ts';

/** Versions that name a time within the one asked for, the newest. */
const versionsMax = 20_000;
/** Where no year is asked for, times of so many years are looked at. */
const yearsMax = 10;
/** Of what a text names, so much must be of the time asked for. */
const shareMin = 0.5;

/** The times that texts of memories name, by row: those of the times asked for. */
export interface NamedTimes {
  readonly size: number;
  /** The time asked for that the row's text names; undefined for none. */
  periodOf(row: number): NamedPeriod | undefined;
}

const noNamedTimes: NamedTimes = { size: 0, periodOf: () => undefined };

/** Reads them; nothing is read where no time is asked for. */
export async function namedTimesOf(
  periods: readonly NamedPeriod[],
  index: UserIndex,
  reader: Pick<DerivedReader, 'timesNamedWithin'>,
): Promise<NamedTimes> {
  if (periods.length === 0) return noNamedTimes;
  const named = new Map<number, NamedPeriod>();
  for (const period of periods) {
    const from = new Date(period.from);
    if (period.isYearly) from.setUTCFullYear(from.getUTCFullYear() - yearsMax);
    const range = { from: from.getTime(), to: period.to };
    for (const { doc, ...time } of await reader.timesNamedWithin(range, versionsMax)) {
      const row = index.rowOf(doc);
      if (row >= 0 && !named.has(row) && isMostlyOf(time, period)) named.set(row, period);
    }
  }
  return { size: named.size, periodOf: (row) => named.get(row) };
}

/** Whether most of a time is of the one asked for: "last year" in a text names no day of it. */
function isMostlyOf({ from, to }: NamedTime, period: NamedPeriod): boolean {
  if (period.isYearly) return isOfPeriod(period, (from + to) / 2);
  return Math.min(to, period.to) - Math.max(from, period.from) >= shareMin * (to - from);
}
