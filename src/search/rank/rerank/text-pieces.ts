import type { PieceTable } from '../../../domain/embedding/piece-table.ts';
import { stopWords } from '../../../search-index/analysis/stop-words.ts';
import { spokenText } from '../../../search-index/document-indexer.ts';
import type { TextTraits } from '../../../search-index/rows/text-traits.ts';

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
export function isContent(piece: string): boolean {
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
