import { isDateTerm } from '../../../search-index/analysis/date-terms.ts';
import { rootOf } from '../../../search-index/analysis/word-roots.ts';

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
