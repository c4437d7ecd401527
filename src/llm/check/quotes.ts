/** Where a quote stands, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const special = /[\\^$.*+?()[\]{}|/]/g;
const wordSign = /[\p{L}\p{N}\p{M}_]/u;

/**
 * Where a quote stands in a text, letter by letter but for white space, as whole words.
 * @param within part of the text to look in
 */
export function findQuote(text: string, quote: string, within: Span = whole(text)): Span | undefined {
  const [span] = findQuotes(text, quote, within);
  return span;
}

/** All places of a quote, in order. */
export function* findQuotes(text: string, quote: string, within: Span = whole(text)): Generator<Span> {
  const words = quote.trim().split(/\s+/);
  if (words[0] === '') return;
  const pattern = words.map((word) => word.replace(special, '\\$&')).join('\\s+');
  const before = wordSign.test(first(words[0])) ? '(?<![\\p{L}\\p{N}\\p{M}_])' : '';
  const after = wordSign.test(last(words[words.length - 1])) ? '(?![\\p{L}\\p{N}\\p{M}_])' : '';
  const places = new RegExp(`${before}${pattern}${after}`, 'gv');
  places.lastIndex = within.start;
  for (let found = places.exec(text); found; found = places.exec(text)) {
    const end = found.index + found[0].length;
    if (end > within.end) return;
    yield { start: found.index, end };
  }
}

export const contains = (outer: Span, inner: Span) => outer.start <= inner.start && inner.end <= outer.end;

export const overlap = (a: Span, b: Span) => a.start < b.end && b.start < a.end;

const whole = (text: string): Span => ({ start: 0, end: text.length });
const first = (word: string) => [...word][0];
const last = (word: string) => [...word].at(-1) ?? '';
