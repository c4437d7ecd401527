import { stemmer } from 'stemmer';
import { RecentMap } from '../../lib/collections.ts';
import { stopWords } from './stop-words.ts';

/** Terms are cut to this many UTF-16 units, in documents and queries alike. */
export const termLengthMax = 64;

const rootsMax = 40_000;
const asciiLetters = /^[a-z]+$/;
const roots = new RecentMap<string, string>(rootsMax);

/** First `termLengthMax` units of `text`, never ending in half a surrogate pair. */
export function cut(text: string): string {
  if (text.length <= termLengthMax) return text;
  const splits = (text.charCodeAt(termLengthMax - 1) & 0xfc00) === 0xd800;
  return text.slice(0, splits ? termLengthMax - 1 : termLengthMax);
}

/**
 * The term of a lower-case word: its stem if it is written in ASCII letters, '' if it is a stop word.
 * Cached strings are copied, because a slice of a text would keep the whole text in memory.
 */
export function rootOf(word: string): string {
  const known = roots.get(word);
  if (known !== undefined) return known;
  if (!asciiLetters.test(word)) return word;
  const own = Buffer.from(word, 'latin1').toString('latin1');
  const root = freshRootOf(own);
  roots.set(own, root);
  return root;
}

/** `rootOf` of a word in lower-case ASCII letters without the cache, for mere candidates of words. */
export function freshRootOf(word: string): string {
  return stopWords.has(word) ? '' : stemmer(word);
}
