import { charClass, classAt, widthAt } from './char-class.ts';
import { joinsAt, nameAt } from './joiners.ts';
import { splitWord } from './split-word.ts';
import type { TermList } from './term-list.ts';
import { termLengthMax } from './word-roots.ts';

/** Stands for the point between two numbers, so that 1.2.3 is not 123. A letter of no living script. */
const numberPoint = 'ꞏ';
const segmentJoiners = '/\\@';
const endsInDigit = /\d$/;
const beginsWithDigit = /^\d/;
const versionPrefix = /^[vV](?=\d+ꞏ)/;

/** Words joined into one term, as far as a term goes. */
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

  /** Adds the term, unless it is one word and so a term already, and begins the next. */
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
 * Identifiers, paths, addresses, versions: words joined by single `. _ - / \ @` (and `:` between digits). Terms are
 * the words, the pieces between slashes (`app.ts` of `src/app.ts`) and the whole, joined without punctuation.
 * @returns where it ends
 */
export function scanCompound(text: string, start: number, out: TermList): number {
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
