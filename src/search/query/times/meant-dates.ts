import { isDateTerm } from '../../../search-index/analysis/date-terms.ts';
import { rootOf } from '../../../search-index/analysis/word-roots.ts';
import type { DerivedReader } from '../../../search-index/ports.ts';
import type { UserIndex } from '../../../search-index/rows/user-index.ts';
import { isOfPeriod, type NamedPeriod } from './named-periods.ts';
import type { NamedTime } from './times-in-texts.ts';

/** Dates are searched in the first part of a query only; agents send whole texts. */
const searchedLengthMax = 4_000;

const months = [
  'january|february|march|april|may|june|july|august|september|october|november|december',
  'jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec',
].join('|');
const lead =
  '(?:last|this|next|in|during|since|of|on|from|until|till|by|before|after|to|through|between|every|each|late|early|mid)';
const day = '(?:[12]?\\d|3[01])(?:st|nd|rd|th)?';
const year = '(?:19|20)\\d\\d';

/** Date expressions of a query; their words are meant as parts of a date. */
const dates = [
  new RegExp(`\\b${lead} (?:the )?(?:${months})\\b`, 'gi'),
  new RegExp(`\\b${day} (?:of )?(?:${months})\\b`, 'gi'),
  new RegExp(`\\b(?:${months}) (?:the )?(?:of )?(?:${day}\\b|${year}\\b)(?: ${year}\\b)?`, 'gi'),
  /\b(?:[12]?\d|3[01])(?:st|nd|rd|th)\b/gi,
  /\bon (?:the )?(?:[12]?\d|3[01])\b/gi,
  /\b\d{4}[-/]\d\d?[-/]\d\d?\b/g,
  /\b\d\d?[/.]\d\d?[/.]\d{2,4}\b/g,
];
const ambiguous = new Set(['may', 'march'].map(rootOf));
const unfinishedDate = new RegExp(`\\b${lead} (?:the )?\\p{L}+$`, 'iu');

/** Whether the last word of a query is in the position of a month or a weekday: "in Jun", "on mon". */
export function endsLikeDate(query: string): boolean {
  return unfinishedDate.test(query.slice(-200).replace(/\s+/g, ' '));
}

/** `7th` is the term 7 of a date. */
const ordinal = /^(\d+)(?:st|nd|rd|th)$/;

/**
 * Terms of a query that look like a part of a date but are not meant so: the verbs
 * "may" and "march", and bare numbers up to 31. Other months, weekdays and years always
 * count as dates, and so do all words of a query that consists of date words only.
 * @param terms of the query
 */
export function notMeantAsDates(query: string, terms: readonly string[]): ReadonlySet<string> {
  const doubtful = terms.filter(
    (term) => isDateTerm(term) && (ambiguous.has(term) || /^\d{1,2}$/.test(term)),
  );
  if (doubtful.length === 0 || terms.every(isDateTerm)) return new Set();
  const text = query.slice(0, searchedLengthMax).replace(/[\s,]+/g, ' ');
  const meant = new Set<string>();
  for (const pattern of dates)
    for (const [found] of text.matchAll(pattern))
      for (const word of found.toLowerCase().split(/[ /.-]/))
        meant.add(rootOf(ordinal.exec(word)?.[1] ?? word));
  return new Set(doubtful.filter((term) => !meant.has(term)));
}

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
