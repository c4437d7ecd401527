import { invalidInput } from '../../domain/shared/errors.ts';
import { type BarUnit, barUnits, DAY_MS, type EpochMs, HOUR_MS } from '../../domain/shared/time.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { candidatesFor, passingRows, type RetrievalDeps } from '../candidates.ts';
import { timeOf } from '../scores/order.ts';
import type { BarsRequest, TimeBar } from '../search-port.ts';

/** Bars of a response at most. */
const barsMax = 400;
/** Bars that a chart shows well: the finest unit with no more is chosen where none is stated. */
const barsTarget = 80;

const lengthOf: Readonly<Record<BarUnit, number>> = {
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
  year: 365 * DAY_MS,
};

/**
 * Counts of memories over time, empty bars included, oldest first.
 * @throws 422 for an unknown time zone, or a unit that gives more than `barsMax` bars
 */
export async function timeBars(deps: RetrievalDeps, user: UserRef, request: BarsRequest): Promise<TimeBar[]> {
  const { filter, field, timeZone } = request;
  const clock = new ZoneClock(timeZone);
  const candidates = await candidatesFor(deps, user, filter);
  const time = timeOf(candidates.index, field);
  // Zones differ by quarters of an hour, so two times within one are in the same bar.
  const quarters = new Map<number, number>();
  for (const row of passingRows(candidates)) {
    const quarter = Math.floor(time(row) / quarterMs) * quarterMs;
    quarters.set(quarter, (quarters.get(quarter) ?? 0) + 1);
  }
  if (quarters.size === 0) return [];
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const quarter of quarters.keys()) {
    first = Math.min(first, quarter);
    last = Math.max(last, quarter);
  }
  const fits = (unit: BarUnit, most: number) => (last - first) / lengthOf[unit] < most;
  const unit = request.unit ?? barUnits.find((each) => fits(each, barsTarget)) ?? 'year';
  if (!fits(unit, barsMax)) throw invalidInput('unit', `gives more than ${barsMax} bars: take a longer one`);
  return countedBars(quarters, { clock, unit, first, last });
}

const quarterMs = HOUR_MS / 4;

interface Span {
  readonly clock: ZoneClock;
  readonly unit: BarUnit;
  readonly first: EpochMs;
  readonly last: EpochMs;
}

function countedBars(quarters: ReadonlyMap<number, number>, { clock, unit, first, last }: Span): TimeBar[] {
  const bars: { from: EpochMs; to: EpochMs; count: number }[] = [];
  for (let from = clock.startOf(first, unit); from <= last; ) {
    // A little more than its length is in the next one, whatever the clocks did in between.
    const to = clock.startOf(from + lengthOf[unit] * 1.1 + HOUR_MS, unit);
    bars.push({ from, to: to > from ? to : from + lengthOf[unit], count: 0 });
    from = bars[bars.length - 1].to;
  }
  const sorted = [...quarters].sort(([a], [b]) => a - b);
  let at = 0;
  for (const [quarter, count] of sorted) {
    while (at < bars.length - 1 && quarter >= bars[at].to) at++;
    bars[at].count += count;
  }
  return bars;
}

/** Reads the clocks of a time zone. */
class ZoneClock {
  readonly #format: Intl.DateTimeFormat;

  /** @throws 422 */
  constructor(timeZone: string) {
    try {
      this.#format = new Intl.DateTimeFormat('en-US', {
        timeZone,
        hourCycle: 'h23',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
      });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw invalidInput('timeZone', 'must be a name of the IANA time zone database, such as Europe/Lisbon');
    }
  }

  /** The local time of the zone, as if it were UTC. */
  #shown(at: EpochMs): EpochMs {
    const parts: Record<string, number> = {};
    for (const { type, value } of this.#format.formatToParts(at)) parts[type] = Number(value);
    const shown = new Date(0);
    shown.setUTCFullYear(parts.year, parts.month - 1, parts.day);
    shown.setUTCHours(parts.hour, parts.minute, parts.second);
    return shown.getTime();
  }

  /** The begin of the hour, day, week (Monday), month or year in which a time is. */
  startOf(at: EpochMs, unit: BarUnit): EpochMs {
    const shown = this.#shown(at);
    const start = new Date(shown);
    if (unit === 'hour') start.setUTCMinutes(0, 0, 0);
    else start.setUTCHours(0, 0, 0, 0);
    if (unit === 'week') start.setUTCDate(start.getUTCDate() - ((start.getUTCDay() + 6) % 7));
    if (unit === 'month' || unit === 'year') start.setUTCDate(1);
    if (unit === 'year') start.setUTCMonth(0);
    // The offset at the begin, which summer time may have changed since.
    const guess = start.getTime() - (shown - at);
    return start.getTime() - (this.#shown(guess) - guess);
  }
}
