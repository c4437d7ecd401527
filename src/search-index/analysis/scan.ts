import { charClass, classAt, isWordClass, widthAt } from './char-class.ts';
import { joinsAt, nameAt } from './joiners.ts';
import { scanCompound } from './scan-compound.ts';
import type { TermList } from './term-list.ts';
import { cut } from './word-roots.ts';

/** Finds the terms of folded text, from left to right, in time linear in its length. */
export function scan(text: string, out: TermList): void {
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

/** Most words are letters of one case or a capital before them; the rest may be made of several. */
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

/** Only for speed: most text is this. */
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
 * Where no spaces tell words apart, terms are pairs of neighbouring characters and single ones. Pairs rather than a
 * dictionary: what `Intl.Segmenter` finds depends on the ICU of the Node release, so an index would go stale.
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
