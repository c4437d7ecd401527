import { stemmer } from 'stemmer';
import { stopWords } from './stop-words.ts';

/** Terms are cut to this many UTF-16 units, in documents and queries alike. */
export const termLengthMax = 64;

const generationMax = 40_000;
const asciiLetters = /^[a-z]+$/;
/** Two generations, each at most `generationMax`: what is still in use moves over when a new one begins. */
let young = new Map<string, string>();
let old = new Map<string, string>();

function remember(word: string, root: string): string {
  if (young.size >= generationMax) {
    old = young;
    young = new Map();
  }
  young.set(word, root);
  return root;
}

/** First `termLengthMax` units of `text`, never ending in half a surrogate pair. */
export function cut(text: string): string {
  if (text.length <= termLengthMax) return text;
  const splits = (text.charCodeAt(termLengthMax - 1) & 0xfc00) === 0xd800;
  return text.slice(0, splits ? termLengthMax - 1 : termLengthMax);
}

/**
 * The term of a lower-case word: its stem if it is written in ASCII letters, '' if it is a stop word.
 * What is remembered is copied, for a piece of a text would keep the whole text in memory.
 */
export function rootOf(word: string): string {
  const known = young.get(word);
  if (known !== undefined) return known;
  const former = old.get(word);
  if (former !== undefined) return remember(word, former);
  if (!asciiLetters.test(word)) return word;
  const own = Buffer.from(word, 'latin1').toString('latin1');
  return remember(own, freshRootOf(own));
}

/** `rootOf` of a word in lower-case ASCII letters, without remembering: for words that are only tried out. */
export function freshRootOf(word: string): string {
  return stopWords.has(word) ? '' : stemmer(word);
}
