import { charClass, classAt, isWordClass } from './char-class.ts';

const onlyForNames = '+#';

/** Whether the character at `index`, right after a word, binds it to another word right behind. */
export function joinsAt(text: string, index: number): boolean {
  if (classAt(text, index) !== charClass.joiner || !isWordClass(classAt(text, index + 1))) return false;
  const joiner = text[index];
  if (onlyForNames.includes(joiner)) return false;
  if (joiner !== ':') return true;
  return classAt(text, index - 1) === charClass.digit && classAt(text, index + 1) === charClass.digit;
}

/** The name behind a one-letter word: `plusplus` for `++`, `sharp` for `#`, else ''. */
export function nameAt(text: string, start: number, end: number): 'plusplus' | 'sharp' | '' {
  if (end - start !== 1 || !/[a-z]/i.test(text[start])) return '';
  if (text[end] === '#') return 'sharp';
  return text[end] === '+' && text[end + 1] === '+' ? 'plusplus' : '';
}
