import type { ParsedResult } from 'chrono-node';
import { DAY_MS, type EpochMs } from '../../../domain/shared/time.ts';
import { maskQuoted } from '../words/quoted-phrases.ts';
import { english } from './chrono.ts';
import { foreignTimes, languageOfTimes } from './foreign-times.ts';
import { type NamedPeriod, namedPeriods } from './named-periods.ts';

/** Time phrases are looked for in the first part of a query only; agents send whole texts. */
const searchedLengthMax = 500;
/** Runs of white space count as one space; of a text that is hardly anything else only so much is read. */
const rawLengthMax = 4000;
const phrasesMax = 4;

/** How far "two weeks ago" may be off, by the unit it is counted in. */
const relativeUnits = [
  { word: /\byears?\b/i, slack: 182 * DAY_MS },
  { word: /\bmonths?\b/i, slack: 15 * DAY_MS },
  { word: /\bweeks?\b/i, slack: 4 * DAY_MS },
  { word: /\bdays?\b/i, slack: DAY_MS },
] as const;

/** "the last 3 weeks" is all of them, not a day three weeks ago. */
const untilNow = /^(?:last|past)\s+\S+\s+(?:day|week|month|quarter|year)s?$/i;
const fromNow = /^next\s+\S+\s+(?:day|week|month|quarter|year)s?$/i;

/** "Next Friday" is no Friday that was. */
const isToCome = /^next\b/i;

/** "The week before 3 August" is all of it, with the day that is named: on that day people speak of it. */
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

/** "Launch Monday" may be words of a text, and "on sun" a word of another meaning: neither is read. */
const namedWeekday = /^(?:on|last|past|this|next)\s.*day$/i;

/** "Where do I live now" asks for what holds, and "learned in two days" says how long: neither says when. */
function isNoTime(read: ParsedResult, now: EpochMs): boolean {
  const { text, start } = read;
  const isCounted = read.tags().has('result/relativeDate') && !/\b(?:next|from now)\b/i.test(text);
  return /^now$/i.test(text) || (isCounted && start.date().getTime() > now);
}

/** A day, or for counted and named stretches a time around it; undefined where only a time of day is named. */
function toPeriod(read: ParsedResult, now: EpochMs): Omit<NamedPeriod, 'at'> | undefined {
  const { text, start, end } = read;
  // A bare month is a matter for the rules of our own: chrono takes "a march in the rain" for one.
  const dated = start.isCertain('day') || start.isCertain('year');
  const named = start.isCertain('weekday') && namedWeekday.test(text);
  if ((!dated && !named) || isNoTime(read, now)) return undefined;
  let day = startOfDay(start.date().getTime());
  // "on Monday" and "on 3 June" speak of the past here: a memory is of something that was.
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

/** What of a query is read as times, and what is left of it. */
export interface TimesOfQuery {
  /** In the order of the query. */
  readonly periods: readonly NamedPeriod[];
  /** The query without them; the query as it is where it names none. */
  readonly rest: string;
}

/**
 * What a query says about when: "last May", "two weeks ago", "in summer 2023", "on 3 June", "yesterday". UTC. English, or
 * German, French and Spanish where the text can be nothing else.
 * Dates and counted times are read by chrono-node, months, seasons and years by rules of our own. What stands in quotation
 * marks is meant word for word and no time.
 * @param now what "yesterday" is counted from
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

/** "The Sunday before 25 October" is not counted from now. */
function isCountedFromOther({ index, text: found, start }: ParsedResult, text: string): boolean {
  return (
    !start.isCertain('day') &&
    /^ (?:before|after) \S*\d|^ (?:before|after) \p{Lu}/u.test(text.slice(index + found.length))
  );
}

/** Those that name a day, a month or a year and are not counted from now, as the query has them; '' where none does. */
export function namedDates(periods: readonly NamedPeriod[]): string {
  const named = periods.filter(({ text, isYearly }) => isYearly || /\b(?:1[0-9]|20)\d\d\b/.test(text));
  return named.map(({ text }) => text).join(' ');
}

/** Whether both ends have a year of four digits: "in 90000 years" is beyond what a response could name. */
function isWritable({ from, to }: Pick<NamedPeriod, 'from' | 'to'>): boolean {
  return from >= Date.UTC(1000, 0, 1) && to < Date.UTC(10_000, 0, 1);
}

/**
 * The times that a text names, the first four, in its order.
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
