import { editDistance, isWithinOneEdit } from '../../../lib/names.ts';
import { freshRootOf } from '../../../search-index/analysis/word-roots.ts';
import type { TermShape } from '../../../search-index/ports.ts';

const letters = [...'abcdefghijklmnopqrstuvwxyz'];
const asciiLetters = /^[a-z]+$/;
/** Maximum length of an ending that stemming removes ("ational"). */
const endingLengthMax = 7;

/** Maximum typos in a word of this length: short words have too many other words within reach. */
export function typosAllowed(word: string): 0 | 1 | 2 {
  const count = [...word].length;
  if (count < 5 || count > 32) return 0;
  return count < 9 ? 1 : 2;
}

/**
 * All words one typo away from a word of ASCII letters: one
 * letter added, missing or replaced, or two neighbours swapped.
 */
export function edits1(word: string): Set<string> {
  const found = new Set<string>();
  for (let i = 0; i <= word.length; i++) {
    const [head, tail] = [word.slice(0, i), word.slice(i)];
    for (const letter of letters) {
      found.add(head + letter + tail);
      if (tail !== '') found.add(head + letter + tail.slice(1));
    }
    if (tail !== '') found.add(head + tail.slice(1));
    if (tail.length > 1) found.add(head + tail[1] + tail[0] + tail.slice(2));
  }
  found.delete(word);
  return found;
}

/**
 * Terms of words one typo away; undefined if the alphabet is too large to try
 * all. Empty if the word without its typo is too common to be a term ("wolud").
 */
export function rootsOfEdits1(word: string): string[] | undefined {
  if (!asciiLetters.test(word)) return undefined;
  const roots = new Set<string>();
  for (const other of edits1(word)) {
    const root = freshRootOf(other);
    if (root === '' && other.length > 3) return [];
    if (root.length > 1) roots.add(root);
  }
  roots.delete(freshRootOf(word));
  return [...roots];
}

function withoutOrSwapped(word: string): string[] {
  const found: string[] = [];
  for (let i = 0; i < word.length; i++) {
    found.push(word.slice(0, i) + word.slice(i + 1));
    if (i > 0) found.push(word.slice(0, i - 1) + word[i] + word[i - 1] + word.slice(i + 1));
  }
  return found;
}

/**
 * Terms of words with two letters swapped or one too many, twice. Comparing
 * stems misses two typos in an ending (`administartino`). These two kinds are
 * the commonest and few enough to try; all pairs of typos would be 300,000.
 */
export function rootsOfTwoSwaps(word: string): string[] {
  if (!asciiLetters.test(word)) return [];
  const roots = new Set<string>();
  for (const once of withoutOrSwapped(word)) {
    for (const twice of withoutOrSwapped(once)) roots.add(freshRootOf(twice));
  }
  roots.delete('');
  roots.delete(freshRootOf(word));
  return [...roots];
}

/**
 * Three parts of a word. Two typos leave one part unchanged unless one
 * swaps letters across a border, so parts with such a swap are included.
 */
function parts(word: string): { beginnings: string[]; middles: string[]; ends: string[] } {
  const third = Math.ceil(word.length / 3);
  const [a, b] = [third, word.length - third];
  return {
    beginnings: [word.slice(0, a), word.slice(0, a - 1) + word[a]],
    middles: a < b ? [word.slice(a, b)] : [],
    ends: [word.slice(b), word[b - 1] + word.slice(b + 1)],
  };
}

/** Filter for the vocabulary: every term that `typosBetween` may accept has this shape. */
export function typoShape(word: string, typos: 1 | 2): TermShape {
  const root = asciiLetters.test(word) ? freshRootOf(word) : word;
  const [ofWord, ofRoot] = [parts(word), parts(root)];
  const merged = (name: 'beginnings' | 'middles' | 'ends') => [
    ...new Set([...ofWord[name], ...ofRoot[name]]),
  ];
  const shortest = root === word && !asciiLetters.test(word) ? word.length : word.length - endingLengthMax;
  return {
    beginnings: merged('beginnings'),
    middles: merged('middles'),
    ends: merged('ends'),
    lengthMin: Math.max(4, Math.min(shortest, root.length) - typos),
    lengthMax: word.length + typos,
  };
}

/**
 * Returns a function that counts the typos between a word and a term, `max + 1` for more than `max`. It
 * compares words and their stems, and first corrects a typo in an ending that stemming would have removed.
 */
export function typosBetween(word: string, max: 1 | 2): (term: string) => number {
  if (!asciiLetters.test(word)) return (term) => editDistance(word, term, max);
  const root = freshRootOf(word);
  const corrected = new Set<string>();
  for (const other of edits1(word)) {
    const stem = freshRootOf(other);
    if (stem !== '' && stem.length <= other.length - 2) corrected.add(stem);
  }
  return (term) => {
    const direct = Math.min(editDistance(word, term, max), editDistance(root, term, max));
    if (direct <= max) return direct;
    if (corrected.has(term)) return 1;
    if (max === 1) return 2;
    for (const stem of corrected) if (isWithinOneEdit(stem, term)) return 2;
    return 3;
  };
}
