/** Values in `kindOf` of characters outside words; a letter or digit has its lower-case code as value. */
const kinds = { other: 0, space: 1, punctuation: 2 } as const;
const codes = 128;
const kindOf = Uint8Array.from({ length: codes }, (_, code) => kindOfCode(String.fromCharCode(code)));

function kindOfCode(character: string): number {
  if (/[a-z0-9]/i.test(character)) return character.toLowerCase().charCodeAt(0);
  if (/[\t\n\r ]/.test(character)) return kinds.space;
  return /[!-~]/.test(character) ? kinds.punctuation : kinds.other;
}

/** At most half of the slots are used, so that probing stays short. */
const slotsBits = 16;
const slotCount = 2 ** slotsBits;
const wordsMax = slotCount / 2;
/** Longer words are rare and not cached. */
const lengthMax = 24;
const charactersMax = wordsMax * 12;
const firstPieces = 1024;
const hashSeed = 0x811c9dc5;
const hashFactor = 0x01000193;

/**
 * Cache of the pieces of words in plain ASCII texts, by the codes of their letters.
 * It makes no string of a known word, and takes a quarter of the time of splitting
 * texts into strings and finding these in a map. When it is full, it is cleared.
 */
export class AsciiWords {
  readonly #split: (word: string) => readonly number[];
  /** 1 + the number of a word, by its hash; 0 in an empty slot. */
  readonly #slots = new Int32Array(slotCount);
  /**
   * Codes of the letters of all words; `#starts` has the
   * start of each word, which is the end of the one before.
   */
  readonly #characters = new Uint8Array(charactersMax);
  readonly #starts = new Int32Array(wordsMax + 1);
  #pieces = new Int32Array(firstPieces);
  readonly #pieceStarts = new Int32Array(wordsMax + 1);
  #count = 0;
  readonly #punctuation: readonly (readonly number[])[];

  /** @param split returns the pieces of one word in lower case, or of one punctuation mark */
  constructor(split: (word: string) => readonly number[]) {
    this.#split = split;
    this.#punctuation = Array.from(kindOf, (kind, code) =>
      kind === kinds.punctuation ? split(String.fromCharCode(code)) : [],
    );
  }

  /** Adds the pieces of a text. @returns false, with none added, if the text is not plain ASCII */
  add(text: string, pieces: number[]): boolean {
    const before = pieces.length;
    const { length } = text;
    let start = -1;
    let hash = hashSeed;
    for (let at = 0; at < length; at++) {
      const code = text.charCodeAt(at);
      const kind = code < codes ? kindOf[code] : kinds.other;
      if (kind > kinds.punctuation) {
        if (start < 0) start = at;
        hash = Math.imul(hash ^ kind, hashFactor);
        continue;
      }
      if (start >= 0) this.#addWord(text, start, at, hash, pieces);
      start = -1;
      hash = hashSeed;
      if (kind === kinds.punctuation) for (const piece of this.#punctuation[code]) pieces.push(piece);
      else if (kind === kinds.other) {
        pieces.length = before;
        return false;
      }
    }
    if (start >= 0) this.#addWord(text, start, length, hash, pieces);
    return true;
  }

  #addWord(text: string, start: number, end: number, hash: number, pieces: number[]): void {
    const word = end - start > lengthMax ? -1 : this.#find(text, start, end, hash);
    if (word < 0) {
      for (const piece of this.#split(text.slice(start, end).toLowerCase())) pieces.push(piece);
      return;
    }
    const last = this.#pieceStarts[word + 1];
    for (let i = this.#pieceStarts[word]; i < last; i++) pieces.push(this.#pieces[i]);
  }

  /** Number of the word, which is added if it is new. */
  #find(text: string, start: number, end: number, hash: number): number {
    let slot = (hash ^ (hash >>> slotsBits)) & (slotCount - 1);
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & (slotCount - 1)) {
      const word = this.#slots[slot] - 1;
      if (this.#isWord(word, text, start, end)) return word;
    }
    if (this.#isFull(end - start)) {
      this.#clear();
      return this.#find(text, start, end, hash);
    }
    return this.#remember(text, start, end, slot);
  }

  #isWord(word: number, text: string, start: number, end: number): boolean {
    const from = this.#starts[word];
    if (this.#starts[word + 1] - from !== end - start) return false;
    for (let i = start, at = from; i < end; i++, at++)
      if (this.#characters[at] !== kindOf[text.charCodeAt(i)]) return false;
    return true;
  }

  #remember(text: string, start: number, end: number, slot: number): number {
    const word = this.#count++;
    let at = this.#starts[word];
    for (let i = start; i < end; i++) this.#characters[at++] = kindOf[text.charCodeAt(i)];
    this.#starts[word + 1] = at;
    const own = this.#split(text.slice(start, end).toLowerCase());
    const from = this.#pieceStarts[word];
    if (from + own.length > this.#pieces.length) this.#enlarge(from + own.length);
    this.#pieces.set(own, from);
    this.#pieceStarts[word + 1] = from + own.length;
    this.#slots[slot] = word + 1;
    return word;
  }

  #isFull(length: number): boolean {
    return this.#count === wordsMax || this.#starts[this.#count] + length > charactersMax;
  }

  #clear(): void {
    this.#slots.fill(0);
    this.#count = 0;
  }

  #enlarge(needed: number): void {
    const larger = new Int32Array(Math.max(needed, 2 * this.#pieces.length));
    larger.set(this.#pieces);
    this.#pieces = larger;
  }
}
