import { RecentMap } from '../../lib/collections.ts';
import { AsciiWords } from './ascii-words.ts';

const special = /\[(?:PAD|UNK|CLS|SEP|MASK)\]/g;
const specialBegins = '[';
const unknownWord = '[UNK]';
const wordLengthMax = 100;
const wordsRemembered = 20_000;

/**
 * WordPiece tokens of texts (https://arxiv.org/abs/1609.08144, as in BERT base
 * uncased). Each word is split from left to right, always into the longest known piece.
 * A word is unknown if it has over 100 characters or if no piece fits at some position.
 */
export class WordPieces {
  readonly #beginnings = new Map<string, number>();
  readonly #continuations = new Map<string, number>();
  /** Cache for texts in plain ASCII; `#recent` is the cache for others. */
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

  /** Id of a word that is one piece; the word must be spelled as in the vocabulary. */
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

const kinds = { letter: 1, space: 2, dropped: 3, mark: 4, punctuation: 5, ideograph: 6 } as const;
type Kind = (typeof kinds)[keyof typeof kinds];

const space = /[\t\n\r\p{Z}]/u;
const dropped = /[\ufffd\p{Cc}\p{Cf}\p{Co}]/u;
const punctuation = /[\p{P}!-/:-@[-`{-~]/u;
const mark = /\p{Mn}/u;

/** Unicode blocks of ideographs in BERT's BasicTokenizer. */
const ideographs: readonly (readonly [number, number])[] = [
  [0x4e00, 0x9fff],
  [0x3400, 0x4dbf],
  [0x20000, 0x2a6df],
  [0x2a700, 0x2b73f],
  [0x2b740, 0x2b81f],
  [0x2b820, 0x2ceaf],
  [0xf900, 0xfaff],
  [0x2f800, 0x2fa1f],
];

function kindOf(code: number): Kind {
  const character = String.fromCodePoint(code);
  if (space.test(character)) return kinds.space;
  if (dropped.test(character)) return kinds.dropped;
  if (ideographs.some(([from, to]) => code >= from && code <= to)) return kinds.ideograph;
  if (punctuation.test(character)) return kinds.punctuation;
  return mark.test(character) ? kinds.mark : kinds.letter;
}

/**
 * For speed only: in plain ASCII, words are runs of letters
 * and digits; the rest is white space or punctuation.
 */
const plainAscii = /^[\t\n\r -~]*$/;
const asciiWords = /[a-z0-9]+|[^\sa-z0-9]/g;

/** Kinds of the characters below U+10000, computed on first use. */
const known = new Uint8Array(0x10000);

function knownKindOf(code: number): Kind {
  if (code >= known.length) return kindOf(code);
  if (known[code] === 0) known[code] = kindOf(code);
  return known[code] as Kind;
}

/**
 * Words of a text as in BERT's uncased BasicTokenizer: cleaned, in lower case, without accents, split at
 * white space and around punctuation, with each ideograph as a word. `text` contains no special tokens.
 */
export function bertWords(text: string): string[] {
  if (plainAscii.test(text)) return text.toLowerCase().match(asciiWords) ?? [];
  const cleaned = clean(text);
  // Only the decomposed form has an accent as a character of its own, which can be dropped.
  const decomposed = cleaned.normalize('NFD');
  const words: string[] = [];
  let word = '';
  const end = () => {
    if (word !== '') words.push(word);
    word = '';
  };
  for (const character of decomposed) {
    const kind = knownKindOf(character.codePointAt(0) ?? 0);
    if (kind === kinds.mark) continue;
    if (kind === kinds.letter || kind === kinds.ideograph) word += character.toLowerCase();
    else {
      end();
      if (kind === kinds.punctuation) words.push(character);
    }
  }
  end();
  return words;
}

function clean(text: string): string {
  let cleaned = '';
  for (const character of text) {
    const kind = knownKindOf(character.codePointAt(0) ?? 0);
    if (kind === kinds.space) cleaned += ' ';
    else if (kind === kinds.ideograph) cleaned += ` ${character} `;
    else if (kind !== kinds.dropped) cleaned += character;
  }
  return cleaned;
}
