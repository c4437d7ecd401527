import { RecentMap } from '../../lib/collections.ts';
import { AsciiWords } from './ascii-words.ts';
import { bertWords } from './words.ts';

const special = /\[(?:PAD|UNK|CLS|SEP|MASK)\]/g;
const specialBegins = '[';
const unknownWord = '[UNK]';
const wordLengthMax = 100;
const wordsRemembered = 20_000;

/**
 * WordPiece tokens of texts (https://arxiv.org/abs/1609.08144, as in BERT base uncased): each word becomes pieces from
 * left to right, the longest known one first; a word of over 100 characters or with a place where none fits is unknown.
 */
export class WordPieces {
  readonly #beginnings = new Map<string, number>();
  readonly #continuations = new Map<string, number>();
  /** Of texts in plain ASCII, and of others. */
  readonly #ascii: AsciiWords;
  readonly #recent = new RecentMap<string, readonly number[]>(wordsRemembered);
  readonly #longest: number;
  readonly unknown: number;

  /** @param vocabulary pieces in order of their ids; those within a word begin with `##` */
  constructor(vocabulary: readonly string[]) {
    let longest = 0;
    for (const [id, piece] of vocabulary.entries()) {
      const continues = piece.startsWith('##') && piece.length > 2;
      if (continues) this.#continuations.set(piece.slice(2), id);
      else this.#beginnings.set(piece, id);
      longest = Math.max(longest, piece.length);
    }
    this.#longest = longest;
    this.unknown = this.#beginnings.get(unknownWord) ?? -1;
    this.#ascii = new AsciiWords((word) => this.#split(word) ?? [this.unknown]);
  }

  /** Id of a word that is one piece, as it stands in the vocabulary. */
  idOf(word: string): number | undefined {
    return this.#beginnings.get(word);
  }

  /** Ids of the pieces of a text, unknown words included. */
  tokensOf(text: string): number[] {
    const tokens: number[] = [];
    if (!text.includes(specialBegins)) {
      this.#add(text, tokens);
      return tokens;
    }
    let from = 0;
    for (const found of text.matchAll(special)) {
      this.#add(text.slice(from, found.index), tokens);
      tokens.push(this.#beginnings.get(found[0]) ?? this.unknown);
      from = found.index + found[0].length;
    }
    this.#add(from === 0 ? text : text.slice(from), tokens);
    return tokens;
  }

  #add(text: string, tokens: number[]): void {
    if (this.#ascii.add(text, tokens)) return;
    for (const word of bertWords(text)) {
      for (const id of this.#piecesOf(word)) tokens.push(id);
    }
  }

  #piecesOf(word: string): readonly number[] {
    const recent = this.#recent.get(word);
    if (recent) return recent;
    const pieces = this.#split(word) ?? [this.unknown];
    this.#recent.set(word, pieces);
    return pieces;
  }

  #split(word: string): number[] | undefined {
    if (word.length > wordLengthMax && [...word].length > wordLengthMax) return undefined;
    const pieces: number[] = [];
    for (let start = 0; start < word.length; ) {
      const vocabulary = start === 0 ? this.#beginnings : this.#continuations;
      let end = Math.min(word.length, start + this.#longest);
      let id = vocabulary.get(word.slice(start, end));
      while (id === undefined && end > start + 1) {
        end--;
        id = vocabulary.get(word.slice(start, end));
      }
      if (id === undefined) return undefined;
      pieces.push(id);
      start = end;
    }
    return pieces;
  }
}
