import type { DerivedReader } from '../../../search-index/ports.ts';
import type { UserIndex } from '../../../search-index/rows/user-index.ts';
import { isOfPeriod, type NamedPeriod } from './named-periods.ts';
import type { NamedTime } from './times-in-texts.ts';

/** Maximum number of versions read for one period, the newest. */
const versionsMax = 20_000;
/** Number of past years that are read if the query names no year. */
const yearsMax = 10;
/** Minimum share of a time in a text that must be within the query's period. */
const shareMin = 0.5;

/** The query's periods that texts of memories name, by row. */
export interface NamedTimes {
  readonly size: number;
  /** The query's period that the row's text names; undefined for none. */
  periodOf(row: number): NamedPeriod | undefined;
}

const noNamedTimes: NamedTimes = { size: 0, periodOf: () => undefined };

/** Reads the times that texts name within the query's periods; reads nothing if there are none. */
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

/** Whether most of a time is within the query's period: "last year" in a text does not name a day of it. */
function isMostlyOf({ from, to }: NamedTime, period: NamedPeriod): boolean {
  if (period.isYearly) return isOfPeriod(period, (from + to) / 2);
  return Math.min(to, period.to) - Math.max(from, period.from) >= shareMin * (to - from);
}
