import { DAY_MS, type EpochMs } from '../../../domain/shared/time.ts';

type Groups = Readonly<Record<string, string | undefined>>;
type Stretch = [EpochMs, EpochMs];

/** A pattern of a query and what its groups mean, from inclusive to exclusive. */
export interface UnitReading {
  readonly pattern: RegExp;
  readonly read: (groups: Groups, now: EpochMs) => Stretch;
}

const unit = '(?<unit>week|month|quarter|year)';
/** "The last week of May" and "the last weekend before 10 April" are not counted from now. */
const isItself = '(?!\\s+(?:of|before|after)\\b)';

/** Where the calendar unit begins that is `steps` after the one of `now`. Weeks begin on Monday (ISO 8601). */
export function startOfUnit(name: string | undefined, now: EpochMs, steps: number): EpochMs {
  const date = new Date(now);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  if (name === 'year') return Date.UTC(year + steps, 0, 1);
  if (name === 'quarter') return Date.UTC(year, 3 * (Math.floor(month / 3) + steps), 1);
  if (name === 'month') return Date.UTC(year, month + steps, 1);
  return Date.UTC(year, month, date.getUTCDate() - ((date.getUTCDay() + 6) % 7) + 7 * steps);
}

const stepsOf: Readonly<Record<string, number>> = { last: -1, this: 0, next: 1 };

function calendarUnit({ lead, unit: name }: Groups, now: EpochMs): Stretch {
  const steps = stepsOf[lead?.toLowerCase() ?? ''] ?? 0;
  const key = name?.toLowerCase();
  return [startOfUnit(key, now, steps), startOfUnit(key, now, steps + 1)];
}

/** Saturday and Sunday of the week; on a Sunday "this weekend" is today, and "last weekend" a week ago. */
function weekend({ lead }: Groups, now: EpochMs): Stretch {
  const monday = startOfUnit('week', now, stepsOf[lead?.toLowerCase() ?? ''] ?? 0);
  return [monday + 5 * DAY_MS, monday + 7 * DAY_MS];
}

const monthsOf: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12 };

/** The stretch of that length that ends with today. */
function untilToday({ unit: name }: Groups, now: EpochMs): Stretch {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const months = monthsOf[name?.toLowerCase() ?? ''];
  if (months === undefined) return [today - 7 * DAY_MS, today + DAY_MS];
  const from = new Date(today);
  const day = from.getUTCDate();
  from.setUTCMonth(from.getUTCMonth() - months);
  // 31 March less a month is no 3 March.
  if (from.getUTCDate() !== day) from.setUTCDate(0);
  return [from.getTime(), today + DAY_MS];
}

/** "the past year" ends today; "last year" is the one before this. "The last week of May" is neither. */
export const unitReadings: readonly UnitReading[] = [
  {
    pattern: new RegExp(`\\b(?:the\\s+(?:last|past)|past)\\s+${unit}\\b${isItself}`, 'gi'),
    read: untilToday,
  },
  { pattern: new RegExp(`\\b(?<lead>last|this|next)\\s+${unit}\\b${isItself}`, 'gi'), read: calendarUnit },
  { pattern: new RegExp(`\\b(?<lead>last|this|next)\\s+weekend\\b${isItself}`, 'gi'), read: weekend },
];
