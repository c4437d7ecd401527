import { fold } from './fold.ts';

export interface FoldedText {
  readonly text: string;
  /** For each unit of the folded text, where what it came from begins and ends in the original. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Nothing combines across ASCII white space, so the pieces between fold to what the whole text folds to. */
const pieces = /[\t-\r ]+|[^\t-\r ]+/g;
/** A character with all that can combine with it: marks, half-width kana sounds, Hangul jamo. */
const clusters = /[\u1100-\u11ff\ud7b0-\ud7fb]+|.[\p{M}\u200c-\u200f\uff9e\uff9f\u1160-\u11ff]*/gsu;

function foldClusters(piece: string): { text: string; start: number; end: number }[] {
  return [...piece.matchAll(clusters)].map((match) => ({
    text: fold(match[0]),
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** `fold` that remembers where everything came from. Slower by far. */
export function foldWithOffsets(original: string): FoldedText {
  const starts: number[] = [];
  const ends: number[] = [];
  let text = '';
  for (const match of original.matchAll(pieces)) {
    const piece = match[0];
    const folded = fold(piece);
    const found = foldClusters(piece);
    const exact = found.map((cluster) => cluster.text).join('') === folded;
    const origins = exact ? found : [{ text: folded, start: 0, end: piece.length }];
    for (const origin of origins) {
      for (let i = 0; i < origin.text.length; i++) {
        starts.push(match.index + origin.start);
        ends.push(match.index + origin.end);
      }
    }
    text += folded;
  }
  return { text, starts, ends };
}
