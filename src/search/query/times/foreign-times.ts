import { DAY_MS, type EpochMs } from '../../../domain/shared/time.ts';
import { startOfUnit } from './calendar-units.ts';
import { type TimeLanguage, timeLanguages } from './languages.ts';
import { monthsFrom, type NamedPeriod } from './named-periods.ts';

type Groups = Readonly<Record<string, string | undefined>>;
type Span = Pick<NamedPeriod, 'from' | 'to' | 'isYearly'>;

/** The calendar unit that a word names, by how it begins; in order, for "week-end" begins like a week. */
const units = [
  { name: 'weekend', begins: /^(?:wochenende|week-end|fin de)/i, days: 2 },
  { name: 'week', begins: /^(?:woche|semain|semana)/i, days: 7 },
  { name: 'day', begins: /^(?:tag|jour|día)/i, days: 1 },
  { name: 'month', begins: /^(?:monat|mois|mes)/i, days: 30.4 },
  { name: 'quarter', begins: /^(?:quartal|trimestre)/i, days: 91 },
  { name: 'year', begins: /^(?:jahr|an|año)/i, days: 365.25 },
] as const;
const slackOf: Readonly<Record<string, number>> = { day: 1, week: 4, month: 15, year: 182 };
const next = /^(?:nächst|kommend|prochain|próxim)/i;
const current = /^(?:diese|cette|ce|est[ea])/i;

/** The language of a text's times, where it is beyond doubt: German, French or Spanish. */
export function languageOfTimes(text: string): TimeLanguage | undefined {
  return timeLanguages.find(
    ({ cue, doubtful }) => cue.test(text) || (doubtful?.day.test(text) && doubtful.words.test(text)),
  );
}

/** What a text of that language says about when; days and dates with a month by chrono-node, the rest by rules of our own. */
export function foreignTimes(language: TimeLanguage, text: string, now: EpochMs): NamedPeriod[] {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const found: NamedPeriod[] = [];
  const add = (at: number, words: string, span: Span | undefined) => {
    const overlaps = found.some((each) => each.at < at + words.length && at < each.at + each.text.length);
    if (span && !overlaps) found.push({ at, text: words, ...span });
  };
  const all = (pattern: RegExp, read: (groups: Groups) => Span | undefined) => {
    for (const match of text.matchAll(pattern)) add(match.index, match[0], read(match.groups ?? {}));
  };
  for (const pattern of language.units) all(pattern, (groups) => calendarUnit(groups, now));
  all(language.recent, (groups) => counted(language, groups, (days) => [today - days, today + DAY_MS]));
  all(language.ago, (groups) =>
    counted(language, groups, (days, slack) => [today - days - slack, today - days + DAY_MS + slack]),
  );
  for (const { at, words, span } of datesOf(language, text, now)) add(at, words, span);
  all(language.weekday, ({ name }) => weekdayBefore(placeOf(language.weekdays, name), today));
  all(language.month, ({ name, year }) => {
    const month = { month: placeOf(language.months, name), length: 1 };
    const [from, to] = monthsFrom(month, now, year === undefined ? {} : { year: Number(year) });
    return { from, to, isYearly: year === undefined };
  });
  all(dayWords(language), ({ word }) => {
    const from = today + (language.days[word?.toLowerCase() ?? ''] ?? 0) * DAY_MS;
    return { from, to: from + DAY_MS };
  });
  return found;
}

function dayWords({ days }: TimeLanguage): RegExp {
  return new RegExp(`(?<![\\p{L}-])(?<word>${Object.keys(days).join('|')})(?![\\p{L}])`, 'giu');
}

/** A day of a month, as chrono-node reads it: the last such day where no year is named. */
function* datesOf({ readDates }: TimeLanguage, text: string, now: EpochMs) {
  for (const { index, text: words, start, end } of readDates(text, now)) {
    if (!start.isCertain('day') || !start.isCertain('month') || !/\d/.test(words)) continue;
    if (start.isCertain('weekday')) continue;
    const isYearly = !start.isCertain('year');
    const last = (time: EpochMs) => {
      const date = new Date(Math.floor(time / DAY_MS) * DAY_MS);
      if (isYearly && date.getTime() > now) date.setUTCFullYear(date.getUTCFullYear() - 1);
      return date.getTime();
    };
    const from = last(start.date().getTime());
    const to = end ? last(end.date().getTime()) : from;
    yield { at: index, words, span: to >= from ? { from, to: to + DAY_MS, isYearly } : undefined };
  }
}

function placeOf(names: readonly string[], name = ''): number {
  return names.findIndex((each) => new RegExp(`^${each}$`, 'iu').test(name));
}

function calendarUnit({ lead = '', unit = '' }: Groups, now: EpochMs): Span | undefined {
  const name = units.find(({ begins }) => begins.test(unit))?.name;
  if (name === undefined) return undefined;
  const steps = next.test(lead) ? 1 : current.test(lead) ? 0 : -1;
  const of = name === 'weekend' ? 'week' : name;
  const [from, to] = [startOfUnit(of, now, steps), startOfUnit(of, now, steps + 1)];
  return { from: name === 'weekend' ? to - 2 * DAY_MS : from, to };
}

/** Days in whole, of "two weeks", with how far a counted time may be off. */
function counted(
  { numbers }: TimeLanguage,
  { count = '', unit = '' }: Groups,
  toSpan: (days: number, slack: number) => [EpochMs, EpochMs],
): Span | undefined {
  const found = units.find(({ begins }) => begins.test(unit));
  const number = /^\d/.test(count) ? Number(count) : placeOf(numbers, count) + 1;
  if (!found || number === 0) return undefined;
  const days = Math.round(number * found.days) * DAY_MS;
  const [from, to] = toSpan(days, (slackOf[found.name] ?? 0) * DAY_MS);
  return { from, to };
}

/** The last such day before today. */
function weekdayBefore(weekday: number, today: EpochMs): Span {
  const back = (new Date(today).getUTCDay() - weekday + 7) % 7 || 7;
  return { from: today - back * DAY_MS, to: today - (back - 1) * DAY_MS };
}
