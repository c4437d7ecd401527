import { charClass, classAt, isWordClass, joinsAt, nameAt, widthAt } from './char-class.ts';
import { fold, foldWithOffsets, needsFolding } from './fold.ts';
import { cut, rootOf, termLengthMax } from './word-roots.ts';

/** Rises whenever any text may give other terms, traits or speakers than before: older indexes must be rebuilt. */
export const ANALYZER_VERSION = 2;

function termsOf(text: string, singles: boolean): string[] {
  const out = new TermList({ singles, spans: false });
  scan(needsFolding(text) ? fold(text) : text, out);
  return out.terms;
}

/**
 * Terms of a document, in order and with repetitions. They hold lower-case ASCII letters, digits and non-ASCII
 * letters, marks and emoji only, and at most 64 UTF-16 units each. Any string is safe; stop words alone give [].
 */
export function analyze(text: string): string[] {
  return termsOf(text, true);
}

/**
 * Distinct terms of a query, in order. In scripts without spaces they
 * are pairs of characters, and a single one only if it is alone.
 */
export function analyzeQuery(text: string): string[] {
  return [...new Set(termsOf(text, false))];
}

export interface PlacedTerm {
  readonly term: string;
  /** UTF-16 units of the original text, end exclusive. */
  readonly start: number;
  readonly end: number;
}

/**
 * The terms of `analyze`, each with its part of the original text. Much slower for non-ASCII text.
 * @param until terms to stop at: the rest of the text may be left out after the first of them
 */
export function analyzeWithOffsets(text: string, until?: ReadonlySet<string>): PlacedTerm[] {
  const folded = needsFolding(text) ? foldWithOffsets(text) : undefined;
  const out = new TermList({ singles: true, spans: true, until });
  scan(folded?.text ?? text, out);
  const spans = out.spans ?? [];
  return out.terms.map((term, i) => {
    const start = spans[2 * i];
    const end = spans[2 * i + 1];
    return { term, start: folded?.starts[start] ?? start, end: folded?.ends[end - 1] ?? end };
  });
}

/** Finds the terms of folded text, from left to right, in time linear in its length. */
function scan(text: string, out: TermList): void {
  let i = 0;
  while (i < text.length && !out.isDone) {
    const kind = classAt(text, i);
    if (isWordClass(kind)) {
      i = scanWord(text, i, out);
    } else if (kind === charClass.dense) {
      i = scanDense(text, i, out);
    } else {
      const end = i + widthAt(text, i);
      if (kind === charClass.emoji) out.add(text.slice(i, end), i, end);
      i = end;
    }
  }
}

/**
 * Fast path: most words are letters of one case, with or
 * without a capital first. Others may consist of several words.
 */
function scanWord(text: string, start: number, out: TermList): number {
  const first = classAt(text, start);
  const rest = first === charClass.upper ? charClass.lower : first;
  let end = start + widthAt(text, start);
  if (rest === charClass.lower) end = endOfAsciiLower(text, end);
  let next = classAt(text, end);
  while (next === rest) {
    end += widthAt(text, end);
    next = classAt(text, end);
  }
  if (next >= charClass.mark) return scanCompound(text, start, out);
  if (next === charClass.joiner && (joinsAt(text, end) || nameAt(text, start, end) !== '')) {
    return scanCompound(text, start, out);
  }
  const word = text.slice(start, end);
  if (first === charClass.lower || first === charClass.digit) out.addLower(word, start, end);
  else out.addWord(word, start, end);
  return end;
}

/** For speed only: most text is lower-case ASCII. */
function endOfAsciiLower(text: string, start: number): number {
  let end = start;
  while (end < text.length) {
    const code = text.charCodeAt(end);
    if (code < 97 || code > 122) break;
    end++;
  }
  return end;
}

/**
 * In scripts without spaces between words, terms are pairs of neighbouring characters
 * and single ones. A dictionary is no alternative: the results of `Intl.Segmenter`
 * depend on the ICU of the Node release, so an index would go stale.
 */
function scanDense(text: string, start: number, out: TermList): number {
  let previous = -1;
  let current = start;
  while (classAt(text, current) === charClass.dense) {
    let end = current + widthAt(text, current);
    while (classAt(text, end) === charClass.mark) end += widthAt(text, end);
    const alone = previous < 0 && classAt(text, end) !== charClass.dense;
    if (out.singles || alone) out.add(cut(text.slice(current, end)), current, end);
    if (previous >= 0) out.add(cut(text.slice(previous, end)), previous, end);
    previous = current;
    current = end;
  }
  return current;
}

/** Stands for the point between two numbers, so that 1.2.3 differs from 123. A letter of no living script. */
const numberPoint = 'ꞏ';
const segmentJoiners = '/\\@';
const endsInDigit = /\d$/;
const beginsWithDigit = /^\d/;
const versionPrefix = /^[vV](?=\d+ꞏ)/;

/** Words joined into one term, up to the maximum length of a term. */
class Joined {
  text = '';
  words = 0;
  start = 0;

  add(word: string, start: number): void {
    if (this.words === 0) this.start = start;
    if (this.text.length <= termLengthMax) {
      const digits = endsInDigit.test(this.text) && beginsWithDigit.test(word);
      this.text += digits ? numberPoint + word : word;
    }
    this.words++;
  }

  /** Adds the joined term, unless it is a single word and therefore a term already, and begins the next. */
  close(end: number, out: TermList): void {
    if (this.words > 1) {
      out.addWord(this.text, this.start, end);
      if (versionPrefix.test(this.text)) out.addWord(this.text.slice(1), this.start + 1, end);
    }
    this.text = '';
    this.words = 0;
  }
}

/**
 * Identifiers, paths, addresses, versions: words joined by a single character of
 * `. _ - / \ @` (or `:` between digits). Terms are the words, the parts between
 * slashes (`app.ts` of `src/app.ts`) and the whole, joined without punctuation.
 * @returns the end of the compound
 */
function scanCompound(text: string, start: number, out: TermList): number {
  const whole = new Joined();
  const segment = new Joined();
  let end = start;
  for (let position = start; ; position = end + 1) {
    const wordEnd = endOfWord(text, position);
    const name = nameAt(text, position, wordEnd);
    const word = text.slice(position, wordEnd) + name;
    end = wordEnd + (name === '' ? 0 : name === 'sharp' ? 1 : 2);
    if (name === '') splitWord(word, position, out);
    else out.addWord(word, position, end);
    segment.add(word, position);
    const joins = joinsAt(text, end);
    if (joins && !segmentJoiners.includes(text[end])) continue;
    whole.add(segment.text, segment.start);
    segment.close(end, out);
    if (!joins) break;
  }
  whole.close(end, out);
  return end;
}

function endOfWord(text: string, start: number): number {
  let end = start;
  while (classAt(text, end) >= charClass.mark) end += widthAt(text, end);
  return end;
}

const { upper, lower, digit, letter, mark } = charClass;
const numberWithUnit = /^(\d+)([a-z]{1,3})$/i;
const ordinal = /^(?:st|nd|rd|th)$/i;

/** Adds a word without punctuation and its parts: `getUserName`, `HTTPServer`, `7pm`, `8th`. */
function splitWord(word: string, start: number, out: TermList): void {
  const unit = numberWithUnit.exec(word);
  if (unit && ordinal.test(unit[2])) {
    out.addWord(unit[1], start, start + word.length);
    return;
  }
  if (unit) addNumber(unit, start, out);
  else if (word.length <= termLengthMax) addParts(word, start, out);
  out.addWord(word, start, start + word.length);
}

function addNumber([word, number, unit]: RegExpExecArray, start: number, out: TermList): void {
  const middle = start + number.length;
  out.addWord(number, start, middle);
  out.addWord(unit, middle, start + word.length);
}

/** Adds nothing for a word of one part. */
function addParts(word: string, start: number, out: TermList): void {
  let partStart = 0;
  let previous = classAt(word, 0);
  for (let i = widthAt(word, 0); i < word.length; i += widthAt(word, i)) {
    const kind = classAt(word, i);
    if (kind === mark) continue;
    if (beginsPart(word, i, previous, kind)) {
      out.addWord(word.slice(partStart, i), start + partStart, start + i);
      partStart = i;
    }
    previous = kind;
  }
  if (partStart > 0) out.addWord(word.slice(partStart), start + partStart, start + word.length);
}

function beginsPart(word: string, index: number, previous: number, kind: number): boolean {
  if (kind === upper) {
    if (previous === lower || previous === letter) return true;
    const beforeLower = classAt(word, index + widthAt(word, index)) === lower;
    return beforeLower && (previous === digit || !isPlural(word, index + 1));
  }
  if (kind === letter) return previous === lower || previous === upper;
  return kind === lower && previous === letter;
}

/** `PDFs` is one word: the capital before its last letter begins no new part. */
function isPlural(word: string, index: number): boolean {
  return index === word.length - 1 && word[index] === 's';
}

/** Terms found by the scanner, with their positions on request. */
class TermList {
  readonly terms: string[] = [];
  /** Start and end of each term in the scanned text, one after the other. */
  readonly spans: number[] | undefined;
  /**
   * Whether single characters of scripts without spaces are terms:
   * always in a document, in a query only if they are alone.
   */
  readonly singles: boolean;
  /** Scanning may end once one of these is found. */
  readonly #until: ReadonlySet<string> | undefined;
  isDone = false;

  constructor({ singles, spans, until }: { singles: boolean; spans: boolean; until?: ReadonlySet<string> }) {
    this.singles = singles;
    this.#until = until;
    this.spans = spans ? [] : undefined;
  }

  /** @param word as written in the scanned text */
  addWord(word: string, start: number, end: number): void {
    this.addLower(word.toLowerCase(), start, end);
  }

  /** `addWord` for a word that has no capitals. */
  addLower(word: string, start: number, end: number): void {
    const root = rootOf(cut(word));
    if (root !== '') this.add(root, start, end);
  }

  add(term: string, start: number, end: number): void {
    this.terms.push(term);
    this.spans?.push(start, end);
    if (this.#until?.has(term)) this.isDone = true;
  }
}
