const longest = 8;
const repeatsMax = 2;
const upper = /\p{Lu}/u;
const letter = /\p{L}/u;
const digit = /\p{N}/u;

function classOf(character: string): string {
  if (upper.test(character)) return 'X';
  if (letter.test(character)) return 'x';
  return digit.test(character) ? 'd' : character;
}

/**
 * Outline of a word such as `Xx`: letters by case, digits as `d`, other characters as they are. Runs are cut
 * to 2.
 */
export function wordShape(word: string): string {
  let shape = '';
  let last = '';
  let run = 0;
  for (const character of word) {
    const found = classOf(character);
    run = found === last ? run + 1 : 1;
    last = found;
    if (run > repeatsMax) continue;
    shape += found;
    if (shape.length > longest) break;
  }
  return shape;
}
