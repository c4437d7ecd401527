import { text as textOf } from 'node:stream/consumers';
import { InvalidArgumentError } from 'commander';

/** A parser of an option that is a whole number from `min` to `max`. */
export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER): (text: string) => number {
  const bounds = max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`;
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number ${bounds}.`);
  };
}

/** Parses an option that is a number from 0 to 1. */
export function share(text: string): number {
  const value = Number(text);
  if (/^(\d+\.?\d*|\.\d+)$/.test(text) && value <= 1) return value;
  throw new InvalidArgumentError('It must be a number from 0 to 1.');
}

/** The words of a command line as one text; `-` alone reads standard input, without its final line end. */
export async function readText(words: readonly string[]): Promise<string> {
  if (words.length !== 1 || words[0] !== '-') return words.join(' ');
  return (await textOf(process.stdin)).replace(/\r?\n$/, '');
}
