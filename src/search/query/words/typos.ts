import { editDistance, isWithinOneEdit } from '../../../lib/names.ts';
import { freshRootOf } from '../../../search-index/analysis/word-roots.ts';
import type { TermShape } from '../../../search-index/ports.ts';

const letters = [...'abcdefghijklmnopqrstuvwxyz'];
const asciiLetters = /^[a-z]+$/;
/** Endings that stemming takes away are at most this long ("ational"). */
const endingLengthMax = 7;

/** Typos that a word of so many letters may have: fewer letters leave too many words within reach. */
export function typosAllowed(word: string): 0 | 1 | 2 {
  const count = [...word].length;
  if (count < 5 || count > 32) return 0;
  return count < 9 ? 1 : 2;
}

/** All words one typo away from a word of ASCII letters: one letter more, less or other, or two neighbours swapped. */
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
 * Terms of words one typo away; undefined where the alphabet is too large to try them all. A typo in a word too
 * common to be a term ("wolud") has none.
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
 * Terms of words with two letters swapped or one too many, twice. Comparing with stems misses two typos in an ending
 * (`administartino`); these are the commonest and few enough to try, all pairs of typos would be 300,000.
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

/** Three parts, of which two typos leave one whole, unless one swaps letters across a border: so also those swapped. */
function parts(word: string): { beginnings: string[]; middles: string[]; ends: string[] } {
  const third = Math.ceil(word.length / 3);
  const [a, b] = [third, word.length - third];
  return {
    beginnings: [word.slice(0, a), word.slice(0, a - 1) + word[a]],
    middles: a < b ? [word.slice(a, b)] : [],
    ends: [word.slice(b), word[b - 1] + word.slice(b + 1)],
  };
}

/** What to ask the vocabulary for: every term that `typosBetween` may accept has this shape. */
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
 * A function that says by how many typos a word and a term differ, `max + 1` for more than `max`. Words are compared
 * as they are and by their stems; a typo in an ending that stemming would have taken away is corrected first.
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
