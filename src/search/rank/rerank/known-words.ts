import type { KnownWords } from '../fuse/fuse.ts';

export interface QueryPieces {
  /** Word pieces in order; what goes on within a word begins with `##`. */
  readonly pieces: readonly string[];
  /** By piece how much it says. */
  readonly lengths: ArrayLike<number>;
  /** By piece the cosine to the nearest piece of any candidate. */
  readonly nearest: ArrayLike<number>;
}

/** Of a query without words that could be compared. */
export const nothingKnown: KnownWords = { rarest: 0, missing: 0 };

interface Word {
  text: string;
  /** Of its pieces in sum. */
  says: number;
  known: number;
  most: number;
}

const rarestCount = 2;

/** @param isName of a speaker: names stand before every memory, and count where there is nothing else */
export function knownWordsOf(query: QueryPieces, isName: (word: string) => boolean): KnownWords {
  const all = wordsOf(query);
  const others = all.filter(({ text }) => !isName(text));
  const words = others.length > 0 ? others : all;
  if (words.length === 0) return nothingKnown;
  const rarest = words.toSorted((a, b) => b.most - a.most).slice(0, rarestCount);
  return {
    rarest: rarest.reduce((sum, word) => sum + shareKnown(word), 0) / rarest.length,
    missing: words.reduce((most, word) => Math.max(most, word.most * (1 - shareKnown(word))), 0),
  };
}

function wordsOf({ pieces, lengths, nearest }: QueryPieces): Word[] {
  const words: Word[] = [];
  for (const [i, piece] of pieces.entries()) {
    const last = words.at(-1);
    const says = lengths[i];
    const known = says * nearest[i];
    if (last && piece.startsWith('##')) {
      last.text += piece.slice(2);
      last.says += says;
      last.known += known;
      last.most = Math.max(last.most, says);
    } else words.push({ text: piece.replace(/^##/, ''), says, known, most: says });
  }
  return words;
}

function shareKnown({ says, known }: Word): number {
  return says === 0 ? 0 : known / says;
}
