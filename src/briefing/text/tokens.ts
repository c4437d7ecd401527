import { Breather } from '../../lib/loop-time.ts';

/** Counts tokens of o200k, the tokeniser of current language models. */
export type CountTokens = (text: string) => number;

const bracketTokens = 2;
/** A line that begins so has no token in common with the line before. */
const lineStart = /(?<=\n)(?=[^\s/])/u;

/** Whether a text has at most `max` tokens; counted line by line, so that other requests go between. */
export async function hasTokens(countTokens: CountTokens, text: string, max: number): Promise<boolean> {
  const breather = new Breather();
  let count = 0;
  for (const lines of text.split(lineStart)) {
    count += countTokens(lines);
    if (count > max) return false;
    const pause = breather.pause();
    if (pause) await pause;
  }
  return true;
}

/** The first items whose JSON has at most `max` tokens in sum; lets other requests run in between. */
export async function itemsWithin<T>(
  items: readonly T[],
  { max, countTokens }: { readonly max: number; readonly countTokens: CountTokens },
): Promise<T[]> {
  const breather = new Breather();
  const kept: T[] = [];
  let left = max - bracketTokens;
  for (const item of items) {
    left -= countTokens(JSON.stringify(item)) + 1;
    if (left < 0) break;
    kept.push(item);
    const pause = breather.pause();
    if (pause) await pause;
  }
  return kept;
}

let loaded: Promise<CountTokens> | undefined;

/**
 * Loaded at its first use: its table takes 70 MB and a seventh
 * of a second, which a service without token budgets saves.
 */
export function loadTokenCounter(): Promise<CountTokens> {
  loaded ??= import('gpt-tokenizer/encoding/o200k_base').then(
    ({ encode }) =>
      (text) =>
        // Text that spells a special token is text here.
        encode(text, { allowedSpecial: new Set(), disallowedSpecial: new Set() }).length,
  );
  return loaded;
}
