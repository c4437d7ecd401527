import { charClass, classAt } from '../../../search-index/analysis/char-class.ts';
import { fold } from '../../../search-index/analysis/fold.ts';
import type { AnalyzeQuery } from '../../../search-index/ports.ts';

/** Further phrases of a query count as plain words. */
const phrasesMax = 8;

/** Words in quotation marks, which a memory must contain literally. */
export interface QuotedPhrase {
  readonly text: string;
  /** Terms of the phrase, at least one: every memory that contains the phrase has them. */
  readonly terms: readonly string[];
}

/** Marks that open after a letter or close before one are inches, code or typos, and ignored: `5" and 6"`. */
const quoted =
  /(?<![\p{L}\p{N}])(?:"([^"]+)"|\u201c([^\u201c\u201d]+)\u201d|\u00ab([^\u00ab\u00bb]+)\u00bb)(?![\p{L}\p{N}])/gu;
const opening = /["\u201c\u00ab]/;
const wordPattern = /[\p{L}\p{M}\p{N}]+/gu;

/** The quoted phrases that have terms, in order, each once. */
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

/** The text with a line in place of each quoted character, so that no words are found there. */
export function maskQuoted(text: string): string {
  if (!opening.test(text)) return text;
  return text.replace(quoted, (found) => found[0] + '_'.repeat(found.length - 2) + found.at(-1));
}

/** Words in their order, in lower case and folded, with one space around each. */
function wordsIn(text: string): string {
  return ` ${(fold(text).toLowerCase().match(wordPattern) ?? []).join(' ')} `;
}

function isDense(text: string, at: number): boolean {
  return classAt(text, at) === charClass.dense;
}

/**
 * Returns a test whether a text contains the phrase word for word, stop words included. Case, accents
 * and punctuation do not count. In scripts without spaces a phrase may begin and end anywhere.
 */
export function phraseTest(phrase: string): (text: string) => boolean {
  const words = wordsIn(phrase);
  const from = isDense(words, 1) ? 1 : 0;
  const last = [...words.trimEnd()].at(-1) ?? '';
  const requested = words.slice(from, isDense(last, 0) ? -1 : undefined);
  return (text) => wordsIn(text).includes(requested);
}
