import { dateWords, months, weekdays } from './date-words.ts';
import { rootOf } from './word-roots.ts';

const monthOf = new Map(months.map((name, i) => [rootOf(name.toLowerCase()), i]));
const weekdayOf = new Map(weekdays.map((name, i) => [rootOf(name.toLowerCase()), i]));
const dayOrYear = /^(?:[1-9]|[12]\d|3[01]|(?:19|20)\d\d)$/;

/** Whether a term can stand for a part of the date that documents are indexed by. */
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
