import { charClass, classAt } from '../../../search-index/analysis/char-class.ts';
import { fold } from '../../../search-index/analysis/fold.ts';
import { stopWords } from '../../../search-index/analysis/stop-words.ts';
import type { AnalyzeWithOffsets } from '../../../search-index/ports.ts';

/** Words are read in the first part of a query only; agents send whole texts. */
const searchedLengthMax = 4000;
const completedLettersMin = 3;
/** Maximum length of a word to complete. The pattern that finds the last word takes quadratic time. */
const completedLengthMax = 128;

/** A word of a query that is a single term: not part of an identifier, a path or a script without spaces. */
export interface QueryWord {
  readonly term: string;
  /** Folded and in lower case. */
  readonly word: string;
  readonly typed: string;
}

const onlyLetters = /^[\p{L}\p{M}]+$/u;
const lastLetters = /[\p{L}\p{M}\p{N}]+$/u;

function plain(typed: string): string {
  return fold(typed).toLowerCase();
}

/** Words of letters that are a single term each, in order, each once. */
export function queryWords(query: string, analyzeWithOffsets: AnalyzeWithOffsets): QueryWord[] {
  const text = query.slice(0, searchedLengthMax);
  const words = new Map<string, QueryWord>();
  const placed = analyzeWithOffsets(text);
  for (const [i, { term, start, end }] of placed.entries()) {
    const isPart = placed.slice(Math.max(0, i - 64), i + 65).some((other) => {
      return (other.start !== start || other.end !== end) && other.start < end && other.end > start;
    });
    const typed = text.slice(start, end);
    const word = plain(typed);
    if (!isPart && onlyLetters.test(word) && !words.has(term)) words.set(term, { term, word, typed });
  }
  return [...words.values()];
}

/**
 * The last word of a query if it is still being typed: three letters or more at
 * the very end. Folded, in lower case. Words too common to be terms are complete.
 */
export function unfinishedWord(query: string): string | undefined {
  const word = plain(lastLetters.exec(query.slice(-completedLengthMax))?.[0] ?? '');
  if (!onlyLetters.test(word) || stopWords.has(word)) return undefined;
  if (classAt(word, 0) === charClass.dense || [...word].length < completedLettersMin) return undefined;
  return word;
}
