import { DAY_MS, type EpochMs } from '../../domain/shared/time.ts';
import { unitReadings } from './calendar-units.ts';

/** A stretch of time that a query speaks of: `from` inclusive, `to` exclusive. */
export interface NamedPeriod {
  /** As it stands in the query. */
  readonly text: string;
  /** Where that begins, in UTF-16 units of the text that was searched. */
  readonly at: number;
  readonly from: EpochMs;
  readonly to: EpochMs;
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
/** First month of each season on the northern half of the earth; three months each. */
const seasons: Readonly<Record<string, number>> = { spring: 2, summer: 5, autumn: 8, fall: 8, winter: 11 };

const lead = '(?<lead>last|this|in|during|since|of|from|until|by|late|early|mid)';
const year = '(?:(?:,?\\s+(?:of\\s+)?)(?<year>(?:19|20)\\d\\d))';
const notADay = '(?<!\\d(?:st|nd|rd|th)?\\s(?:of\\s)?)';
const monthName = `(?<name>${months.join('|')}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)`;
const seasonName = `(?<name>${Object.keys(seasons).join('|')})`;

/** A month or season counts as one only with a word such as "last" or "in" before it, or a year behind it. */
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

/** The period of that name in `year`, else the newest one that has begun, or with "last" the newest one that is over. */
function periodOf(groups: Readonly<Record<string, string | undefined>>, now: EpochMs): [EpochMs, EpochMs] {
  const targetYear = groups.year === undefined ? undefined : Number(groups.year);
  if (groups.name === undefined)
    return [Date.UTC(targetYear ?? 0, 0, 1), Date.UTC((targetYear ?? 0) + 1, 0, 1)];
  const { month, length } = startOf(groups.name.toLowerCase());
  const at = (ofYear: number): [EpochMs, EpochMs] => [
    Date.UTC(ofYear, month, 1),
    Date.UTC(ofYear, month + length, 1),
  ];
  if (targetYear !== undefined) return at(targetYear);
  const isLast = groups.lead?.toLowerCase() === 'last';
  const thisYear = new Date(now).getUTCFullYear();
  const period = at(thisYear);
  return (isLast ? period[1] : period[0]) <= now ? period : at(thisYear - 1);
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
      if (!overlaps) found.set(match.index, { text: match[0], at: match.index, from, to });
    }
  }
  return [...found.values()];
}

/** How well a time fits a period, 0 to 1: 1 inside, then falling with the distance, by half the period and a day. */
export function closeness({ from, to }: Pick<NamedPeriod, 'from' | 'to'>, time: EpochMs): number {
  const distance = time < from ? from - time : time >= to ? time - to : 0;
  return distance === 0 ? 1 : Math.exp(-distance / ((to - from) / 2 + DAY_MS));
}
