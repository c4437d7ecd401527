import type { PieceTable } from '../../../domain/embedding/embedder.ts';
import { dot } from '../../../domain/embedding/similarity.ts';
import { stopWords } from '../../../search-index/analysis/stop-words.ts';
import { spokenText } from '../../../search-index/document-indexer.ts';
import type { TextTraits } from '../../../search-index/rows/text-traits.ts';
import { int8Products } from '../../../search-index/vectors/simd/int8-products.ts';
import { valueKindsIn } from '../../query/words/question-form.ts';

/** UTF-16 units of a text that are read: the beginning shows its subject. */
const lengthMax = 2000;
const piecesMax = 400;
const namesMax = 10;
/** Maximum number of query pieces to compare. */
const queryPiecesMax = 32;

const letterOrDigit = /[\p{L}\p{N}]/u;
const number = /(?:^|[^a-z0-9'])(?:\d|(?:one|two|three|four|five|six|seven|several)(?=$|[^a-z0-9']))/;
/** A capital after a small letter or a comma and a space. */
const name = /(?<=[a-z,] )[A-Z][a-z]+/g;

/** Whether a piece is informative: stop words, punctuation and single letters are not. */
function isContent(piece: string): boolean {
  return piece.length > 1 && letterOrDigit.test(piece) && !stopWords.has(piece);
}

/** For each piece of a table: the result of `isContent`, and the last text that contained it. */
class PieceMarks {
  readonly #vocabulary: readonly string[];
  /** 0 for not computed yet, 1 for content, 2 for no content. */
  readonly #contents: Uint8Array;
  readonly #lastText: Uint32Array;
  #text = 0;

  constructor({ vocabulary }: PieceTable) {
    this.#vocabulary = vocabulary;
    this.#contents = new Uint8Array(vocabulary.length);
    this.#lastText = new Uint32Array(vocabulary.length);
  }

  /** Distinct content pieces, ascending; the first 400. */
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

/** Traits of a memory's text that its rank depends on, apart from terms and vectors. */
export function traitsOf(content: string, table: PieceTable): TextTraits {
  const text = spokenText(content).slice(0, lengthMax);
  return {
    pieces: marksOf(table).contentOf(table.piecesOf(text)),
    hasNumber: number.test(text.toLowerCase()),
    names: Math.min(namesMax, text.match(name)?.length ?? 0),
    valueKinds: valueKindsIn(text),
  };
}

/**
 * Content pieces of a query, or all of its pieces if it has no others.
 * @param names words of speakers' names: a speaker precedes every memory, and counts as a feature of its own
 */
export function queryPieces(query: string, names: ReadonlySet<string>, table: PieceTable): number[] {
  const all = table.piecesOf(query.slice(0, lengthMax));
  const kept = all.filter((id) => isContent(table.vocabulary[id]) && !names.has(table.vocabulary[id]));
  return (kept.length > 0 ? kept : all).slice(0, queryPiecesMax);
}

/** Cosines between the pieces of a query and pieces of texts; 0 for negative ones. */
export interface PieceSimilarities {
  /** Highest cosine of each query piece to a piece of one text; written to `out`. */
  nearest(pieces: Uint16Array, out: Float64Array): void;
  /** Weighted mean, over the pieces of a text, of the highest cosine to a query piece. */
  reverse(pieces: Uint16Array): number;
  /** Weight of each query piece, in sum 1: rarer pieces weigh more. */
  readonly weights: Float64Array;
  /** Length of the vector of each query piece: its informativeness. */
  readonly lengths: Float64Array;
}

/**
 * Compares word pieces by the vectors of the static model: late interaction
 * as in ColBERT (Khattab and Zaharia 2020), but with vectors without context.
 * All texts of a search are compared at once, each distinct piece once.
 */
export class PieceComparer {
  readonly #table: PieceTable;
  /** 1/length of the int8 vector of each piece; 0 until computed. */
  readonly #perLength: Float32Array;
  /** Index of each piece among those of this search; valid if its stamp is `#stamp`. */
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

  /** @returns similarities that are valid until the next call */
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

  /** Cosines of each piece to all query pieces, one piece after the other. */
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

  /** Length of the model's original vector: the model made common pieces short. */
  #lengthOf(piece: number): number {
    return this.#table.scales[piece] / this.#perLengthOf(piece);
  }
}

function shareOf(lengths: Float64Array): Float64Array {
  const whole = lengths.reduce((sum, length) => sum + length, 0);
  return lengths.map((length) => (whole === 0 ? 0 : length / whole));
}
