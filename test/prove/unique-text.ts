import { type Random, uniqueWord } from '../support/random.ts';

const fillers = 'the river carried letters between quiet towns while winter lamps kept burning'.split(' ');
let words = 0;

/** A text that begins with a word no other text of this process holds. */
export function newText(random: Random): string {
  words += 1;
  const filler = Array.from({ length: random.int(1, 60) }, () => random.pick(fillers)).join(' ');
  return `${uniqueWord(words)} ${filler}`;
}

/** The word that only this text holds. */
export function wordOf(text: string): string {
  return text.slice(0, text.indexOf(' '));
}
