import type { PieceTable } from '../../../domain/embedding/embedder.ts';
import { dot } from '../../../domain/embedding/similarity.ts';
import { stopWords } from '../../../search-index/analysis/stop-words.ts';
import { spokenText } from '../../../search-index/document-indexer.ts';
import type { TextTraits } from '../../../search-index/rows/text-traits.ts';
import { int8Products } from '../../../search-index/vectors/simd/int8-products.ts';

/** UTF-16 units of a text that are looked at: what it is about stands at its beginning. */
const lengthMax = 2000;
const piecesMax = 400;
const namesMax = 10;
/** Pieces of a query that are compared. */
const queryPiecesMax = 32;

const letterOrDigit = /[\p{L}\p{N}]/u;
const number = /(?:^|[^a-z0-9'])(?:\d|(?:one|two|three|four|five|six|seven|several)(?=$|[^a-z0-9']))/;
/** A capital after a small letter or a comma and a space. */
const name = /(?<=[a-z,] )[A-Z][a-z]+/g;

/** Whether a piece says something: stop words, punctuation and single letters do not. */
function isContent(piece: string): boolean {
  return piece.length > 1 && letterOrDigit.test(piece) && !stopWords.has(piece);
}

/** By piece of a table what `isContent` says, and the text it was last met in. */
class PieceMarks {
  readonly #vocabulary: readonly string[];
  /** 0 where it is not known yet, 1 for content, 2 for none. */
  readonly #contents: Uint8Array;
  readonly #lastText: Uint32Array;
  #text = 0;

  constructor({ vocabulary }: PieceTable) {
    this.#vocabulary = vocabulary;
    this.#contents = new Uint8Array(vocabulary.length);
    this.#lastText = new Uint32Array(vocabulary.length);
  }

  /** The first of the pieces that say something, each once, rising. */
  contentOf(pieces: readonly number[]): Uint16Array {
    const text = ++this.#text;
    let count = 0;
    for (let i = 0; i < pieces.length && count < piecesMax; i++) {
      const piece = pieces[i];
      if (this.#lastText[piece] === text || !this.#isContent(piece)) continue;
      this.#lastText[piece] = text;
      kept[count++] = piece;
    }
    return kept.slice(0, count).sort();
  }

  #isContent(piece: number): boolean {
    if (this.#contents[piece] === 0) this.#contents[piece] = isContent(this.#vocabulary[piece]) ? 1 : 2;
    return this.#contents[piece] === 1;
  }
}

const kept = new Uint16Array(piecesMax);
const marksOfTables = new WeakMap<PieceTable, PieceMarks>();

function marksOf(table: PieceTable): PieceMarks {
  const known = marksOfTables.get(table);
  if (known) return known;
  const marks = new PieceMarks(table);
  marksOfTables.set(table, marks);
  return marks;
}

/** What of a memory's text its rank depends on, apart from terms and vectors. */
export function traitsOf(content: string, table: PieceTable): TextTraits {
  const text = spokenText(content).slice(0, lengthMax);
  return {
    pieces: marksOf(table).contentOf(table.piecesOf(text)),
    hasNumber: number.test(text.toLowerCase()),
    names: Math.min(namesMax, text.match(name)?.length ?? 0),
  };
}

/**
 * Pieces of a query that say something: all of them where no other is left.
 * @param names words of speakers: who speaks stands before every memory, and counts as a feature of its own
 */
export function queryPieces(query: string, names: ReadonlySet<string>, table: PieceTable): number[] {
  const all = table.piecesOf(query.slice(0, lengthMax));
  const kept = all.filter((id) => isContent(table.vocabulary[id]) && !names.has(table.vocabulary[id]));
  return (kept.length > 0 ? kept : all).slice(0, queryPiecesMax);
}

/** How near each piece of a query is to pieces of texts: cosines, 0 where they are below. */
export interface PieceSimilarities {
  /** Of a row of pieces of one text, for each piece of the query the nearest; written to `out`. */
  nearest(pieces: Uint16Array, out: Float64Array): void;
  /** Mean over the pieces of a text, weighed, of how near the nearest piece of the query is. */
  reverse(pieces: Uint16Array): number;
  /** Of each piece of the query, 1 in sum: rarer ones weigh more. */
  readonly weights: Float64Array;
  /** Of each piece of the query, the length of its vector: how much it says. */
  readonly lengths: Float64Array;
}

/**
 * Compares word pieces by the vectors of the static model: late interaction as in ColBERT (Khattab and Zaharia 2020), but
 * with vectors that no context has changed. The pieces of all texts of a search are compared at once, each once.
 */
export class PieceComparer {
  readonly #table: PieceTable;
  /** By piece 1/length of its numbers; 0 until it is needed. */
  readonly #perLength: Float32Array;
  /** By piece its place among those of this search, where `#stamp` is that of the search. */
  readonly #place: Uint16Array;
  readonly #stamps: Uint32Array;
  #stamp = 0;

  constructor(table: PieceTable) {
    this.#table = table;
    const count = table.vocabulary.length;
    this.#perLength = new Float32Array(count);
    this.#place = new Uint16Array(count);
    this.#stamps = new Uint32Array(count);
  }

  /** @returns what holds until the next call */
  compare(query: readonly number[], texts: Iterable<Uint16Array>): PieceSimilarities {
    const pieces = this.#placed(texts);
    const width = query.length;
    const cosines = this.#cosines(query, pieces);
    const place = this.#place;
    const lengths = Float64Array.from(query, (piece) => this.#lengthOf(piece));
    return {
      lengths,
      weights: shareOf(lengths),
      nearest: (of, out) => {
        out.fill(0);
        for (let i = 0; i < of.length; i++) {
          const at = place[of[i]] * width;
          for (let q = 0; q < width; q++) if (cosines[at + q] > out[q]) out[q] = cosines[at + q];
        }
      },
      reverse: (of) => {
        let sum = 0;
        let whole = 0;
        for (let i = 0; i < of.length; i++) {
          const at = place[of[i]] * width;
          let best = 0;
          for (let q = 0; q < width; q++) if (cosines[at + q] > best) best = cosines[at + q];
          const weight = this.#lengthOf(of[i]);
          sum += weight * best;
          whole += weight;
        }
        return whole === 0 ? 0 : sum / whole;
      },
    };
  }

  #placed(texts: Iterable<Uint16Array>): number[] {
    this.#stamp++;
    const pieces: number[] = [];
    for (const text of texts)
      for (let i = 0; i < text.length; i++) {
        const piece = text[i];
        if (this.#stamps[piece] === this.#stamp) continue;
        this.#stamps[piece] = this.#stamp;
        this.#place[piece] = pieces.length;
        pieces.push(piece);
      }
    return pieces;
  }

  /** Of each piece those to all pieces of the query, one piece after the other. */
  #cosines(query: readonly number[], pieces: readonly number[]): Float32Array {
    const { dimension, vectors } = this.#table;
    const width = query.length;
    const cosines = new Float32Array(width * pieces.length);
    const numbers = query.map((id) => Int16Array.from(this.#vectorOf(id)));
    const perLength = new Float64Array(pieces.length);
    for (let i = 0; i < pieces.length; i++) perLength[i] = this.#perLengthOf(pieces[i]);
    const blockSize = int8Products.blockOf(dimension);
    const { room } = int8Products;
    for (let from = 0; from < pieces.length; from += blockSize) {
      const size = Math.min(blockSize, pieces.length - from);
      for (let i = 0; i < size; i++) {
        const at = pieces[from + i] * dimension;
        room.set(vectors.subarray(at, at + dimension), i * dimension);
      }
      for (let q = 0; q < width; q++) {
        const products = int8Products.multiplyRoom(numbers[q], size);
        const own = this.#perLengthOf(query[q]);
        for (let i = 0, at = from * width + q; i < size; i++, at += width)
          if (products[i] > 0) cosines[at] = products[i] * own * perLength[from + i];
      }
    }
    return cosines;
  }

  #vectorOf(piece: number): Int8Array {
    const { dimension, vectors } = this.#table;
    return vectors.subarray(piece * dimension, (piece + 1) * dimension);
  }

  #perLengthOf(piece: number): number {
    if (this.#perLength[piece] === 0) {
      const vector = this.#vectorOf(piece);
      this.#perLength[piece] = 1 / Math.sqrt(dot(vector, vector) || 1);
    }
    return this.#perLength[piece];
  }

  /** Of the vector as the model has it: it made common pieces short. */
  #lengthOf(piece: number): number {
    return this.#table.scales[piece] / this.#perLengthOf(piece);
  }
}

function shareOf(lengths: Float64Array): Float64Array {
  const whole = lengths.reduce((sum, length) => sum + length, 0);
  return lengths.map((length) => (whole === 0 ? 0 : length / whole));
}
