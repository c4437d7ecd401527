import { rootOf } from './word-roots.ts';

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/**
 * A day in words, such as "Monday 8 May 2023", in UTC.
 * @returns '' for a time out of the range of `Date`
 */
export function dateWords(epochMs: number): string {
  const date = new Date(epochMs);
  if (Number.isNaN(date.getTime())) return '';
  const weekday = weekdays[date.getUTCDay()];
  return `${weekday} ${date.getUTCDate()} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

const monthOf = new Map(months.map((name, i) => [rootOf(name.toLowerCase()), i]));
const weekdayOf = new Map(weekdays.map((name, i) => [rootOf(name.toLowerCase()), i]));
const dayOrYear = /^(?:[1-9]|[12]\d|3[01]|(?:19|20)\d\d)$/;

/** Whether a term can be a part of the date under which documents are indexed. */
export function isDateTerm(term: string): boolean {
  return monthOf.has(term) || weekdayOf.has(term) || dayOrYear.test(term);
}

/** A test whether the date words of a time have a term; undefined for a term that no date has. */
export function dateTest(term: string): ((time: number) => boolean) | undefined {
  const [month, weekday] = [monthOf.get(term), weekdayOf.get(term)];
  if (month !== undefined) return (time) => new Date(time).getUTCMonth() === month;
  if (weekday !== undefined) return (time) => new Date(time).getUTCDay() === weekday;
  if (!/^\d+$/.test(term)) return undefined;
  const number = Number(term);
  return (time) => {
    const date = new Date(time);
    return date.getUTCDate() === number || date.getUTCFullYear() === number;
  };
}

/** The words of a date, as people would write it, that are among the terms. */
export function dateWordsAmong(time: number, terms: ReadonlySet<string>): string[] {
  return dateWords(time)
    .split(' ')
    .filter((word) => terms.has(rootOf(word.toLowerCase())));
}
