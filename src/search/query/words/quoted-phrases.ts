import { charClass, classAt } from '../../../search-index/analysis/char-class.ts';
import { fold } from '../../../search-index/analysis/fold.ts';
import type { AnalyzeQuery } from '../../../search-index/ports.ts';

/** Further quotes of a query are plain words. */
const phrasesMax = 8;

/** Words in quotation marks, which must stand so in a memory. */
export interface QuotedPhrase {
  readonly text: string;
  /** What memories that hold it have in common: its terms, never none. */
  readonly terms: readonly string[];
}

/** Marks that open after a letter or close before one are inches, code or typos: `5" and 6"`. */
const quoted =
  /(?<![\p{L}\p{N}])(?:"([^"]+)"|\u201c([^\u201c\u201d]+)\u201d|\u00ab([^\u00ab\u00bb]+)\u00bb)(?![\p{L}\p{N}])/gu;
const opening = /["\u201c\u00ab]/;
const wordPattern = /[\p{L}\p{M}\p{N}]+/gu;

/** The phrases in quotation marks that have terms, in order, each once. */
export function quotedPhrases(query: string, analyzeQuery: AnalyzeQuery): QuotedPhrase[] {
  if (!opening.test(query)) return [];
  const phrases = new Map<string, QuotedPhrase>();
  for (const [, straight, curly, pointed] of query.matchAll(quoted)) {
    const text = (straight ?? curly ?? pointed).trim();
    const terms = analyzeQuery(text);
    if (terms.length > 0 && phrases.size < phrasesMax) phrases.set(wordsIn(text), { text, terms });
  }
  return [...phrases.values()];
}

/** The text with a line in place of each character in quotation marks: what looks for words finds none there. */
export function maskQuoted(text: string): string {
  if (!opening.test(text)) return text;
  return text.replace(quoted, (found) => found[0] + '_'.repeat(found.length - 2) + found.at(-1));
}

/** Words as they stand, in lower case and folded, with one space around each. */
function wordsIn(text: string): string {
  return ` ${(fold(text).toLowerCase().match(wordPattern) ?? []).join(' ')} `;
}

function isDense(text: string, at: number): boolean {
  return classAt(text, at) === charClass.dense;
}

/**
 * A test whether a text holds the phrase word for word, stop words included; case, accents and punctuation do not
 * count. In scripts without spaces a phrase may begin and end anywhere.
 */
export function phraseTest(phrase: string): (text: string) => boolean {
  const words = wordsIn(phrase);
  const from = isDense(words, 1) ? 1 : 0;
  const last = [...words.trimEnd()].at(-1) ?? '';
  const requested = words.slice(from, isDense(last, 0) ? -1 : undefined);
  return (text) => wordsIn(text).includes(requested);
}
