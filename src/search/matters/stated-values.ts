import { analyze } from '../../search-index/analysis/index.ts';

/** A value in a text, such as 11 minutes; values of one kind can be compared. */
export interface StatedValue {
  /** The unit as a term, `date`, `time`, `weekday`, or a word before a bare number: "version". */
  readonly kind: string;
  readonly value: string;
  /** Its place in the text, in UTF-16 units. */
  readonly at: number;
}

const months =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';
const days = 'mon|tues|wednes|thurs|fri|satur|sun';
const numberWords = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];

const forms: readonly { readonly kind: string; readonly pattern: RegExp }[] = [
  { kind: 'date', pattern: /\b\d{4}-\d{2}-\d{2}\b/g },
  { kind: 'date', pattern: new RegExp(`\\b\\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:${months})\\b`, 'gi') },
  { kind: 'date', pattern: new RegExp(`\\b(?:${months}) \\d{1,2}(?:st|nd|rd|th)?\\b`, 'gi') },
  { kind: 'weekday', pattern: new RegExp(`\\b(?:${days})days?\\b`, 'gi') },
  { kind: 'time', pattern: /\b\d{1,2}(?::\d{2})(?: ?[ap]m)?\b|\b\d{1,2} ?[ap]m\b/gi },
  { kind: 'percent', pattern: /\d+(?:[.,]\d+)? ?(?:%|percent\b|per cent\b)/gi },
  { kind: 'money', pattern: /[$€£]\s?\d[\d.,]*|\b\d[\d.,]* ?(?:€|euros?\b|dollars?\b|usd\b|eur\b)/gi },
];

const counted = new RegExp(
  `(?<![\\w.-])(\\d[\\d.,_]*\\d|\\d|${numberWords.slice(2).join('|')})(?:[ -]?(\\p{L}[\\p{L}-]*))?`,
  'giu',
);
/** Words after a number that are not its unit. */
const notUnits = new Set(
  'a an and as at because but by for from if in instead into is it now not of on or so than that the then to was were when which while with without since after before until till per each every'.split(
    ' ',
  ),
);
const wordBefore = /(\p{L}[\p{L}\p{N}]*)[ :=]+$/u;

/** Values that a text states, each once, and the text with blanks in their place. */
export function statedValues(text: string): {
  readonly values: readonly StatedValue[];
  readonly rest: string;
} {
  const values = new Map<string, StatedValue>();
  const add = (kind: string, value: string, at: number) =>
    values.set(`${kind} ${value}`, { kind, value, at });
  let rest = text;
  for (const { kind, pattern } of forms)
    rest = rest.replace(pattern, (found, ...more) => {
      const at = more.find((each) => typeof each === 'number') ?? 0;
      add(kind, folded(kind, found), at);
      return ' '.repeat(found.length);
    });
  rest = rest.replace(counted, (found, digits: string, unit: string | undefined, at: number) => {
    const value = numberOf(digits);
    if (unit && !notUnits.has(unit.toLowerCase())) {
      add(analyze(unit)[0] ?? unit.toLowerCase(), value, at);
      return unit.padStart(found.length);
    }
    const before = wordBefore.exec(rest.slice(Math.max(0, at - 40), at))?.[1];
    if (before) add(`after ${analyze(before)[0] ?? before.toLowerCase()}`, value, at);
    return (unit ?? '').padStart(found.length);
  });
  return { values: [...values.values()], rest };
}

function folded(kind: string, found: string): string {
  const plain = found
    .toLowerCase()
    .replace(/(\d)(?:st|nd|rd|th)\b/g, '$1')
    .replace(/ of /g, ' ')
    .trim();
  if (kind === 'weekday') return plain.slice(0, 3);
  if (kind === 'date' && !/^\d{4}/.test(plain)) {
    const [first, second] = plain.split(' ');
    const [day, month] = /^\d/.test(first) ? [first, second] : [second, first];
    return `${month.slice(0, 3)} ${Number(day)}`;
  }
  return plain.replace(/\s+/g, '');
}

function numberOf(digits: string): string {
  const named = numberWords.indexOf(digits.toLowerCase());
  return named >= 0 ? String(named) : digits.replace(/[,_](?=\d{3}\b)/g, '');
}
