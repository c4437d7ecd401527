import { join } from 'node:path';
import { RecentMap } from '../../lib/collections.ts';
import { LanguageFileError, readLanguageFile } from './language-file.ts';

/** Clusters of one word as features: `-` for an unknown word, prefix `#` for the clusters of an ending. */
export interface Clusters {
  /** One of 64 clusters. */
  readonly coarse: string;
  /** One of 512 clusters. */
  readonly fine: string;
}

const none: Clusters = { coarse: '-', fine: '-' };
const remembered = 50_000;

/**
 * Clusters of words by k-means over the vectors of the static embedding model: words of similar use share
 * one. A word outside the vocabulary has the clusters of its longest known ending.
 */
export class WordClusters {
  readonly #ids = new Map<string, number>();
  readonly #coarse: Uint16Array;
  readonly #fine: Uint16Array;
  readonly #longestEnding: number;
  readonly #recent = new RecentMap<string, Clusters>(remembered);

  /** @param vocabulary word pieces of the static model in the order of their ids @throws LanguageFileError */
  constructor(folder: string, vocabulary: readonly string[]) {
    let longest = 0;
    for (const [id, piece] of vocabulary.entries()) {
      this.#ids.set(piece, id);
      if (piece.startsWith('##')) longest = Math.max(longest, piece.length - 2);
    }
    this.#longestEnding = longest;
    this.#coarse = readNumbers(join(folder, 'clusters64.bin'), vocabulary.length);
    this.#fine = readNumbers(join(folder, 'clusters512.bin'), vocabulary.length);
  }

  of(word: string): Clusters {
    const recent = this.#recent.get(word);
    if (recent) return recent;
    const clusters = this.#find(word.toLowerCase());
    this.#recent.set(word, clusters);
    return clusters;
  }

  #find(word: string): Clusters {
    const id = this.#ids.get(word);
    if (id !== undefined) return { coarse: `${this.#coarse[id]}`, fine: `${this.#fine[id]}` };
    for (let i = Math.max(1, word.length - this.#longestEnding); i < word.length - 1; i++) {
      const ending = this.#ids.get(`##${word.slice(i)}`);
      if (ending !== undefined) return { coarse: `#${this.#coarse[ending]}`, fine: `#${this.#fine[ending]}` };
    }
    return none;
  }
}

/** Little-endian 16-bit numbers. */
function readNumbers(path: string, count: number): Uint16Array {
  const file = readLanguageFile(path);
  if (file.length !== 2 * count)
    throw new LanguageFileError(path, `has clusters of ${file.length / 2} word pieces instead of ${count}`);
  return Uint16Array.from({ length: count }, (_, i) => file.readUInt16LE(2 * i));
}

const longest = 8;
const repeatsMax = 2;
const upper = /\p{Lu}/u;
const letter = /\p{L}/u;
const digit = /\p{N}/u;

function classOf(character: string): string {
  if (upper.test(character)) return 'X';
  if (letter.test(character)) return 'x';
  return digit.test(character) ? 'd' : character;
}

/**
 * Outline of a word such as `Xx`: letters by case, digits as `d`, other characters as they are. Runs are cut
 * to 2.
 */
export function wordShape(word: string): string {
  let shape = '';
  let last = '';
  let run = 0;
  for (const character of word) {
    const found = classOf(character);
    run = found === last ? run + 1 : 1;
    last = found;
    if (run > repeatsMax) continue;
    shape += found;
    if (shape.length > longest) break;
  }
  return shape;
}
