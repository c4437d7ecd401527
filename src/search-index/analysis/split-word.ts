import { charClass, classAt, widthAt } from './char-class.ts';
import type { TermList } from './term-list.ts';
import { termLengthMax } from './word-roots.ts';

const { upper, lower, digit, letter, mark } = charClass;
const numberWithUnit = /^(\d+)([a-z]{1,3})$/i;
const ordinal = /^(?:st|nd|rd|th)$/i;

/** Adds a word without punctuation and the words it is made of: `getUserName`, `HTTPServer`, `7pm`, `8th`. */
export function splitWord(word: string, start: number, out: TermList): void {
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

/** Nothing is added for a word of one part. */
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

/** `PDFs` is one word: its last capital begins none. */
function isPlural(word: string, index: number): boolean {
  return index === word.length - 1 && word[index] === 's';
}
