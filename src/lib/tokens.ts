/**
 * Runs that tokenisers of language models treat alike: a word of ASCII letters up
 * to its next capital, capitals, digits, white space, one other ASCII character,
 * one character beyond the basic plane (emoji), and the rest.
 */
const runs =
  /([A-Z]?[a-z]+)|([A-Z]+)|([0-9]+)|(\s+)|([\x21-\x7e])|([\u{10000}-\u{10ffff}])|([^\s\x20-\x7e\u{10000}-\u{10ffff}]+)/gu;

/** Minimum length of a token: letters of a word, capitals, digits, UTF-8 bytes of other scripts. */
const lettersPerToken = 4;
const capitalsPerToken = 2;
const digitsPerToken = 3;
const bytesPerToken = 2.5;
const tokensPerEmoji = 3;

/**
 * Estimated tokens of a text. The estimate is above the count of o200k, the tokeniser of
 * current models, so that a text that fits by it fits in fact: 1.4 times that count for
 * English prose and code, more in other scripts (docs/agents.md).
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const [run, word, capitals, digits, space, sign, emoji] of text.matchAll(runs)) {
    if (word !== undefined) tokens += Math.ceil(run.length / lettersPerToken);
    else if (capitals !== undefined) tokens += Math.ceil(run.length / capitalsPerToken);
    else if (digits !== undefined) tokens += Math.ceil(run.length / digitsPerToken);
    else if (sign !== undefined) tokens += 1;
    else if (space !== undefined) tokens += run === ' ' ? 0 : 1;
    else if (emoji !== undefined) tokens += tokensPerEmoji;
    else tokens += Math.ceil(Buffer.byteLength(run) / bytesPerToken);
  }
  return tokens;
}
