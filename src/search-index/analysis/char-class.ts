/**
 * Class of a character in the analyser. The order matters: everything from
 * `upper` on is part of a word, and `mark` continues the character before it.
 */
export const charClass = {
  gap: 0,
  /** Joins two words into one identifier if it is alone between them: `foo_bar`, `src/app.ts`. */
  joiner: 1,
  emoji: 2,
  /** Letters of scripts without spaces between words. */
  dense: 3,
  mark: 4,
  upper: 5,
  lower: 6,
  digit: 7,
  /** Letters of scripts other than Latin that have spaces between words. */
  letter: 8,
} as const;

/**
 * Includes Hangul: Korean has spaces, but its particles
 * are attached to the word, so only pieces of words match.
 */
const denseScripts =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const emojiFirst = 0x2600;
const unknown = 255;
/** Classes of planes 0 and 1, computed on first use; those of higher planes are computed each time. */
const known = new Uint8Array(0x20000).fill(unknown);

function classify(codePoint: number): number {
  const char = String.fromCodePoint(codePoint);
  if ('/\\@._-:+#'.includes(char)) return charClass.joiner;
  if (/\p{M}/u.test(char)) return charClass.mark;
  if (/[\p{L}\p{N}]/u.test(char)) return classifyLetter(char);
  const symbol = codePoint >= emojiFirst && /\p{So}/u.test(char);
  const pictured = symbol && /[\p{Extended_Pictographic}\p{Regional_Indicator}]/u.test(char);
  return pictured ? charClass.emoji : charClass.gap;
}

function classifyLetter(char: string): number {
  if (denseScripts.test(char)) return charClass.dense;
  if (/\p{N}/u.test(char)) return charClass.digit;
  if (!/\p{Script=Latin}/u.test(char)) return charClass.letter;
  return /\p{Lu}/u.test(char) ? charClass.upper : charClass.lower;
}

for (let code = 0; code < 128; code++) known[code] = classify(code);

/** Class of the character that begins at `index`; half a surrogate pair and the end of the text are gaps. */
export function classAt(text: string, index: number): number {
  if (index >= text.length) return charClass.gap;
  const code = text.charCodeAt(index);
  if (code < 128) return known[code];
  const codePoint = (code & 0xf800) === 0xd800 ? (text.codePointAt(index) ?? 0) : code;
  const found = known[codePoint];
  if (found !== undefined && found !== unknown) return found;
  const computed = classify(codePoint);
  if (codePoint < known.length) known[codePoint] = computed;
  return computed;
}

/** UTF-16 units of the character that begins at `index`. */
export function widthAt(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return (code & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00 ? 2 : 1;
}

export function isWordClass(kind: number): boolean {
  return kind >= charClass.upper;
}

const onlyForNames = '+#';

/** Whether the character at `index`, right after a word, joins it to another word right after it. */
export function joinsAt(text: string, index: number): boolean {
  if (classAt(text, index) !== charClass.joiner || !isWordClass(classAt(text, index + 1))) return false;
  const joiner = text[index];
  if (onlyForNames.includes(joiner)) return false;
  if (joiner !== ':') return true;
  return classAt(text, index - 1) === charClass.digit && classAt(text, index + 1) === charClass.digit;
}

/** The name of the signs after a one-letter word: `plusplus` for `++`, `sharp` for `#`, else ''. */
export function nameAt(text: string, start: number, end: number): 'plusplus' | 'sharp' | '' {
  if (end - start !== 1 || !/[a-z]/i.test(text[start])) return '';
  if (text[end] === '#') return 'sharp';
  return text[end] === '+' && text[end + 1] === '+' ? 'plusplus' : '';
}
