/** Counts tokens of o200k, the tokeniser of current language models. */
export type CountTokens = (text: string) => number;

let loaded: Promise<CountTokens> | undefined;

/**
 * Loaded at its first use: its table takes 70 MB and a seventh of a second, which a service that is never asked for a
 * token budget does without.
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
