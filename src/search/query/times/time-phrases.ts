import type { ParsedResult } from 'chrono-node';
import { DAY_MS, type EpochMs } from '../../../domain/shared/time.ts';
import { maskQuoted } from '../words/quoted-phrases.ts';
import { english } from './chrono.ts';
import { foreignTimes, languageOfTimes } from './foreign-times.ts';
import { type NamedPeriod, namedPeriods } from './named-periods.ts';

/** Time phrases are searched in the first part of a query only; agents send whole texts. */
const searchedLengthMax = 500;
/** Runs of white space count as one space; this bounds the raw text in case it is mostly white space. */
const rawLengthMax = 4000;
const phrasesMax = 4;

/** Tolerance of times such as "two weeks ago", by unit. */
const relativeUnits = [
  { word: /\byears?\b/i, slack: 182 * DAY_MS },
  { word: /\bmonths?\b/i, slack: 15 * DAY_MS },
  { word: /\bweeks?\b/i, slack: 4 * DAY_MS },
  { word: /\bdays?\b/i, slack: DAY_MS },
] as const;

/** "the last 3 weeks" means all of them, not a day three weeks ago. */
const untilNow = /^(?:last|past)\s+\S+\s+(?:day|week|month|quarter|year)s?$/i;
const fromNow = /^next\s+\S+\s+(?:day|week|month|quarter|year)s?$/i;

/** "Next Friday" is in the future. */
const isToCome = /^next\b/i;

/** "The week before 3 August" means all of it, including the named day: people speak of it on that day. */
const lengths: Readonly<Record<string, number>> = {
  week: 7 * DAY_MS,
  month: 31 * DAY_MS,
  year: 366 * DAY_MS,
};

function startOfDay(time: EpochMs): EpochMs {
  return Math.floor(time / DAY_MS) * DAY_MS;
}

const speaksOfTime =
  /\d|\b(ago|last|past|this|next|yesterday|today|tonight|tomorrow|in|during|since|on|week|month|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b/i;

/** "Launch Monday" may be words of a text, and "sun" in "on sun" may not be a weekday: neither is read. */
const namedWeekday = /^(?:on|last|past|this|next)\s.*day$/i;

/**
 * "now" in "Where do I live now" asks for the current state,
 * and "learned in two days" is a duration: neither is a time.
 */
function isNoTime(read: ParsedResult, now: EpochMs): boolean {
  const { text, start } = read;
  const isCounted = read.tags().has('result/relativeDate') && !/\b(?:next|from now)\b/i.test(text);
  return /^now$/i.test(text) || (isCounted && start.date().getTime() > now);
}

/** A day, or a span around counted times and named periods; undefined for a mere time of day. */
function toPeriod(read: ParsedResult, now: EpochMs): Omit<NamedPeriod, 'at'> | undefined {
  const { text, start, end } = read;
  // Bare months are left to own rules: chrono takes "a march in the rain" for one.
  const dated = start.isCertain('day') || start.isCertain('year');
  const named = start.isCertain('weekday') && namedWeekday.test(text);
  if ((!dated && !named) || isNoTime(read, now)) return undefined;
  let day = startOfDay(start.date().getTime());
  // "on Monday" and "on 3 June" mean the past: memories are about past events.
  if (!start.isCertain('year') && day > now && !isToCome.test(text)) {
    const earlier = new Date(day);
    earlier.setUTCFullYear(earlier.getUTCFullYear() - 1);
    day = named && !dated ? day - 7 * DAY_MS : earlier.getTime();
  }
  const today = startOfDay(now);
  if (untilNow.test(text) && day <= now) return { text, from: day, to: today + DAY_MS };
  const isYearly = dated && start.isCertain('month') && !start.isCertain('year');
  if (fromNow.test(text) && day > now) return { text, from: today, to: day + DAY_MS };
  if (end) return { text, from: day, to: startOfDay(end.date().getTime()) + DAY_MS, isYearly };
  const length = /^the (?<unit>week|month|year) before\b/i.exec(text)?.groups?.unit;
  if (length !== undefined)
    return { text, from: day, to: day + (lengths[length.toLowerCase()] ?? 0) + DAY_MS };
  const unit = /\b(?:ago|before)\b/i.test(text)
    ? relativeUnits.find(({ word }) => word.test(text))
    : undefined;
  const slack = unit?.slack ?? 0;
  return { text, from: day - slack, to: day + DAY_MS + slack, isYearly };
}

/** Times of a query, and its text without them. */
export interface TimesOfQuery {
  /** In the order of the query. */
  readonly periods: readonly NamedPeriod[];
  /** The query without its time phrases; unchanged if it has none. */
  readonly rest: string;
}

/**
 * Times that a query names: "last May", "two weeks ago", "in summer 2023", "on 3 June", "yesterday".
 * UTC. English, or German, French or Spanish if the text is certainly in that language.
 * chrono-node reads dates and counted times; own rules read months,
 * seasons and years. Quoted text is meant literally and is not read.
 * @param now reference time of "yesterday"
 */
export function readTimes(query: string, now: EpochMs): TimesOfQuery {
  const begin = query.slice(0, rawLengthMax).replace(/\s+/g, ' ');
  const text = begin.slice(0, searchedLengthMax);
  const periods = timePhrases(maskQuoted(text), now);
  if (periods.length === 0) return { periods, rest: query };
  let rest = '';
  let from = 0;
  for (const period of periods) {
    rest += `${text.slice(from, period.at)} `;
    from = period.at + period.text.length;
  }
  return { periods, rest: rest + begin.slice(from) + query.slice(rawLengthMax) };
}

/** "The Sunday before 25 October" is not relative to now. */
function isCountedFromOther({ index, text: found, start }: ParsedResult, text: string): boolean {
  return (
    !start.isCertain('day') &&
    /^ (?:before|after) \S*\d|^ (?:before|after) \p{Lu}/u.test(text.slice(index + found.length))
  );
}

/**
 * The phrases that name a day, a month or a year and are not
 * relative to now, as written in the query; '' for none.
 */
export function namedDates(periods: readonly NamedPeriod[]): string {
  const named = periods.filter(({ text, isYearly }) => isYearly || /\b(?:1[0-9]|20)\d\d\b/.test(text));
  return named.map(({ text }) => text).join(' ');
}

/** Whether both ends have a year of four digits: a response cannot contain "in 90000 years". */
function isWritable({ from, to }: Pick<NamedPeriod, 'from' | 'to'>): boolean {
  return from >= Date.UTC(1000, 0, 1) && to < Date.UTC(10_000, 0, 1);
}

/**
 * The first four times that a text names, in its order.
 * @param text a few hundred characters without two white spaces in a row
 */
export function timePhrases(text: string, now: EpochMs): NamedPeriod[] {
  const language = languageOfTimes(text);
  if (language) return inOrder(foreignTimes(language, text, now).filter(isWritable));
  if (!speaksOfTime.test(text)) return [];
  const periods = namedPeriods(text, now);
  for (const date of english(text, now)) {
    const overlaps = periods.some(
      (period) => period.at < date.index + date.text.length && date.index < period.at + period.text.length,
    );
    const period = overlaps || isCountedFromOther(date, text) ? undefined : toPeriod(date, now);
    if (period && isWritable(period)) periods.push({ ...period, at: date.index });
  }
  return inOrder(periods);
}

function inOrder(periods: readonly NamedPeriod[]): NamedPeriod[] {
  return [...periods].sort((a, b) => a.at - b.at).slice(0, phrasesMax);
}
