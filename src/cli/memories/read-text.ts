import { text as textOf } from 'node:stream/consumers';

/**
 * The words of a command line as one text; `-` alone is standard input, without the line end that programs close their
 * output with.
 */
export async function readText(words: readonly string[]): Promise<string> {
  if (words.length !== 1 || words[0] !== '-') return words.join(' ');
  return (await textOf(process.stdin)).replace(/\r?\n$/, '');
}
