import { DAY_MS, type EpochMs } from '../../../domain/shared/time.ts';

/** A period that a query names: `from` inclusive, `to` exclusive. */
export interface NamedPeriod {
  /** As written in the query. */
  readonly text: string;
  /** Start of the phrase, in UTF-16 units of the searched text. */
  readonly at: number;
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** Whether the query names no year, so that an earlier one may be meant: "in June", "on 3 May". */
  readonly isYearly?: boolean;
}

const months = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
/** First month of each season on the northern hemisphere; three months each. */
const seasons: Readonly<Record<string, number>> = { spring: 2, summer: 5, autumn: 8, fall: 8, winter: 11 };

type Groups = Readonly<Record<string, string | undefined>>;

const lead = '(?<lead>last|this|in|during|since|of|from|until|by|late|early|mid)';
const year = '(?:(?:,?\\s+(?:of\\s+)?)(?<year>(?:19|20)\\d\\d))';
const notADay = '(?<!\\d(?:st|nd|rd|th)?\\s(?:of\\s)?)';
const monthName = `(?<name>${months.join('|')}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)`;
const seasonName = `(?<name>${Object.keys(seasons).join('|')})`;

/** A month or season counts only with a word such as "last" or "in" before it, or a year after it. */
const patterns = [
  new RegExp(`\\b${notADay}(?:${lead}\\s+)(?:the\\s+)?${monthName}\\b(?!\\s+\\d{1,2}\\b)${year}?`, 'gi'),
  new RegExp(`\\b${notADay}${monthName}${year}`, 'gi'),
  new RegExp(`\\b(?:${lead}\\s+)(?:the\\s+)?${seasonName}\\b${year}?`, 'gi'),
  new RegExp(`\\b${seasonName}${year}`, 'gi'),
  /\b(?:in|during|since|of|from)\s+(?<year>(?:19|20)\d\d)\b(?!-)/gi,
];

function startOf(name: string): { month: number; length: number } {
  const season = seasons[name];
  if (season !== undefined) return { month: season, length: 3 };
  return { month: months.findIndex((month) => month.startsWith(name.slice(0, 3))), length: 1 };
}

/**
 * The period of that name in `year`. Without a year, the latest
 * that has begun, or with "last" the latest that is over.
 */
function periodOf(groups: Groups, now: EpochMs): [EpochMs, EpochMs] {
  const targetYear = groups.year === undefined ? undefined : Number(groups.year);
  if (groups.name === undefined)
    return [Date.UTC(targetYear ?? 0, 0, 1), Date.UTC((targetYear ?? 0) + 1, 0, 1)];
  const { month, length } = startOf(groups.name.toLowerCase());
  return monthsFrom({ month, length }, now, {
    year: targetYear,
    isLast: groups.lead?.toLowerCase() === 'last',
  });
}

/**
 * These months of `year`. Without a year, the latest that have
 * begun, or with `isLast` the latest that are over. `month` from 0.
 */
export function monthsFrom(
  { month, length }: { readonly month: number; readonly length: number },
  now: EpochMs,
  { year: named, isLast = false }: { readonly year?: number; readonly isLast?: boolean },
): [EpochMs, EpochMs] {
  const at = (ofYear: number): [EpochMs, EpochMs] => [
    Date.UTC(ofYear, month, 1),
    Date.UTC(ofYear, month + length, 1),
  ];
  if (named !== undefined) return at(named);
  const thisYear = new Date(now).getUTCFullYear();
  const period = at(thisYear);
  return (isLast ? period[1] : period[0]) <= now ? period : at(thisYear - 1);
}

/** Whether a month or a season is named without a year, and is neither the last nor this one. */
function isYearly({ name, year: named, lead: before }: Groups = {}): boolean {
  return name !== undefined && named === undefined && !/^(?:last|this)$/i.test(before ?? '');
}

/** Months, seasons, years and calendar units that a query names in English, in UTC. */
export function namedPeriods(query: string, now: EpochMs): NamedPeriod[] {
  const found = new Map<number, NamedPeriod>();
  const expansions = [...patterns.map((pattern) => ({ pattern, read: periodOf })), ...unitReadings];
  for (const { pattern, read } of expansions) {
    for (const match of query.matchAll(pattern)) {
      const [from, to] = read(match.groups ?? {}, now);
      const overlaps = [...found].some(
        ([at, { text }]) => match.index < at + text.length && at < match.index + match[0].length,
      );
      if (!overlaps)
        found.set(match.index, {
          text: match[0],
          at: match.index,
          from,
          to,
          isYearly: isYearly(match.groups),
        });
    }
  }
  return [...found.values()];
}

/** Fit of a month of an earlier year, relative to the latest one, if the query names no year. */
const earlierYears = 0.75;
const yearMs = 365.2425 * DAY_MS;

/** Fit of a time to a period, 0 to 1; if the query names no year, earlier years fit with 0.75 of that. */
export function timeFit(period: NamedPeriod, time: EpochMs): number {
  const fit = closeness(period, time);
  const earlier = fit === 1 ? undefined : inEarlierYear(period, time);
  return earlier ? Math.max(fit, earlierYears * closeness(earlier, time)) : fit;
}

/** Whether a time is within a period, or within an earlier year's if the query names no year. */
export function isOfPeriod(period: NamedPeriod, time: EpochMs): boolean {
  if (isWithin(period, time)) return true;
  const earlier = inEarlierYear(period, time);
  return earlier !== undefined && isWithin(earlier, time);
}

type Range = Pick<NamedPeriod, 'from' | 'to'>;

/**
 * The period in the earlier year nearest to `time`; undefined
 * if the query names the year, or for a later time.
 */
function inEarlierYear({ from, to, isYearly }: NamedPeriod, time: EpochMs): Range | undefined {
  if (!isYearly || time >= from) return undefined;
  const years = Math.round((from - time) / yearMs);
  return { from: yearsBefore(from, years), to: yearsBefore(to, years) };
}

const isWithin = ({ from, to }: Range, time: EpochMs) => from <= time && time < to;

function yearsBefore(time: EpochMs, years: number): EpochMs {
  const date = new Date(time);
  return date.setUTCFullYear(date.getUTCFullYear() - years);
}

/**
 * Days added to half the period's length, as the decay outside
 * of it: people speak of an event for days afterwards.
 */
const daysBefore = 1;
const daysAfter = 7;
/**
 * Maximum fit of a time outside of a period: the exclusive
 * end, to which bare dates resolve, belongs to the next one.
 */
const outsideMost = 0.7;

/** Fit of a time to a period, 0 to 1: 1 inside; at most 0.7 outside, falling with the distance. */
export function closeness({ from, to }: Range, time: EpochMs): number {
  if (isWithin({ from, to }, time)) return 1;
  const [distance, days] = time < from ? [from - time, daysBefore] : [time - to, daysAfter];
  return outsideMost * Math.exp(-distance / ((to - from) / 2 + days * DAY_MS));
}

type Stretch = [EpochMs, EpochMs];

/** A pattern of a query with the period that its groups mean, from inclusive to exclusive. */
interface UnitReading {
  readonly pattern: RegExp;
  readonly read: (groups: Groups, now: EpochMs) => Stretch;
}

const unit = '(?<unit>week|month|quarter|year)';
/** "The last week of May" and "the last weekend before 10 April" are not counted from now. */
const isItself = '(?!\\s+(?:of|before|after)\\b)';

/** Start of the calendar unit `steps` after that of `now`. Weeks begin on Monday (ISO 8601). */
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

/**
 * Saturday and Sunday of the week. On a Sunday "this weekend"
 * includes today, and "last weekend" is a week earlier.
 */
function weekend({ lead }: Groups, now: EpochMs): Stretch {
  const monday = startOfUnit('week', now, stepsOf[lead?.toLowerCase() ?? ''] ?? 0);
  return [monday + 5 * DAY_MS, monday + 7 * DAY_MS];
}

const monthsOf: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12 };

/** The period of one unit that ends with today. */
function untilToday({ unit: name }: Groups, now: EpochMs): Stretch {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const months = monthsOf[name?.toLowerCase() ?? ''];
  if (months === undefined) return [today - 7 * DAY_MS, today + DAY_MS];
  const from = new Date(today);
  const day = from.getUTCDate();
  from.setUTCMonth(from.getUTCMonth() - months);
  // A month before 31 March is the end of February, not 3 March.
  if (from.getUTCDate() !== day) from.setUTCDate(0);
  return [from.getTime(), today + DAY_MS];
}

/** "the past year" ends today; "last year" is the one before this. "The last week of May" is neither. */
const unitReadings: readonly UnitReading[] = [
  {
    pattern: new RegExp(`\\b(?:the\\s+(?:last|past)|past)\\s+${unit}\\b${isItself}`, 'gi'),
    read: untilToday,
  },
  { pattern: new RegExp(`\\b(?<lead>last|this|next)\\s+${unit}\\b${isItself}`, 'gi'), read: calendarUnit },
  { pattern: new RegExp(`\\b(?<lead>last|this|next)\\s+weekend\\b${isItself}`, 'gi'), read: weekend },
];
