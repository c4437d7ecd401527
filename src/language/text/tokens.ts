/**
 * Patterns of tokens, in order of precedence; code stays whole. Without the bounds, a scan that fails would
 * read to the end of the text from each character.
 */
const patterns: readonly string[] = [
  String.raw`\d[\w-]{0,80}\.(?:sql|ts|js|md|json|csv|txt|log)\b`,
  String.raw`https?:\/\/[^\s<>"')\]]+`,
  String.raw`[\w.+-]{1,64}@[\w-]{1,255}\.[\w.-]{0,255}\w`,
  String.raw`[@#][\w-]+(?:\/[\w.-]+)?`,
  // Paths of files and endpoints.
  String.raw`(?:[\w@.{}~-]{1,255})?(?:\/[\w@.{}:*-]+)+\/?`,
  String.raw`\/(?=[\s.,]|$)`,
  // Dotted identifiers, calls.
  String.raw`\$?[A-Za-z_][\w]*(?:(?:\.|::|->)[A-Za-z_]\w*)+(?:\(\))?`,
  // Files whose name has hyphens.
  String.raw`\w[\w-]{0,80}\.(?:tsx?|jsx?|mjs|jsonl?|mdx?|rst|py|go|rs|rb|java|sql|ya?ml|toml|ini|sh|txt|csv|xml|html?|css|png|pdf|lock|log|conf)\b`,
  String.raw`[A-Za-z_]\w*\(\)`,
  // Abbreviations and initials.
  String.raw`\p{Lu}\.(?:\p{Lu}\.)+`,
  String.raw`(?<![\p{L}\p{N}])[A-Z]\.(?=\s[A-Z])`,
  String.raw`(?:Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|vs|e\.g|i\.e|etc|Inc|Ltd|Co)\.(?=\s)`,
  // Names of languages.
  String.raw`[A-Za-z]\+\+`,
  '[A-Z]#',
  String.raw`\.NET`,
  // Numbers with units.
  String.raw`\d+(?:[.:,]\d+)*(?:%|(?:st|nd|rd|th|ms|kb|mb|gb|s|m|h|k)\b)?`,
  // Words, with parts joined by hyphens and apostrophes.
  String.raw`[\p{L}\p{M}\p{N}_]+(?:[-'’&][\p{L}\p{M}\p{N}_]+)*(?:\.js\b)?`,
  String.raw`\.{2,}`,
  '-{2,}',
  String.raw`[^\s]`,
];
const token = new RegExp(patterns.join('|'), 'giu');
const clitic = /^(.+?)(n['’]t|['’](?:s|re|ve|ll|d|m))$/i;
const cannot = /^cannot$/i;
const link = /^https?:/;
const stops = '.,:;';

/**
 * Tokens of a text in order; English clitics (`n't`, `'s`) are
 * tokens of their own, as in Universal Dependencies.
 */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const { 0: found, index } of text.matchAll(token)) {
    const isPath = found.includes('/') || link.test(found);
    const word = isPath ? withoutStops(found) : found;
    const put = (start: number, end: number) =>
      tokens.push({ word: found.slice(start, end), start: index + start, end: index + end });
    const cut = cutOf(word);
    if (cut > 0) put(0, cut);
    put(cut, word.length);
    for (let i = word.length; i < found.length; i++) put(i, i + 1);
  }
  return tokens;
}

/** Offset at which a word is cut in two; 0 if it is not. */
function cutOf(word: string): number {
  if (cannot.test(word)) return 3;
  return word.includes('/') ? 0 : (clitic.exec(word)?.[1].length ?? 0);
}

/** Removes final stops from a path or link; they belong to the sentence. */
function withoutStops(path: string): string {
  let end = path.length;
  while (end > 1 && stops.includes(path[end - 1])) end--;
  return path.slice(0, end);
}

/** One word, number, mark or identifier of a text. */
export interface Token {
  /** `text.slice(start, end)` of the whole text. */
  readonly word: string;
  /** In UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

const fullStop = /^(?:[.!?]|\.{2,})$/;
const lowerAscii = /^[a-z]/;

/**
 * Splits a text at line breaks and full stops into sentences, each a list of tokens with offsets in the whole
 * text.
 */
export function sentencesOf(text: string, from = 0): Token[][] {
  const sentences: Token[][] = [];
  let current: Token[] = [];
  const body = from === 0 ? text : text.slice(from);
  const tokens = tokensOf(body);
  for (const [i, token] of tokens.entries()) {
    current.push(from === 0 ? token : { ...token, start: token.start + from, end: token.end + from });
    const next = tokens[i + 1];
    if (next && !endsBetween(body, token, next)) continue;
    sentences.push(current);
    current = [];
  }
  return sentences;
}

function endsBetween(text: string, token: Token, next: Token): boolean {
  if (token.end === next.start) return false;
  if (text.slice(token.end, next.start).includes('\n')) return true;
  return fullStop.test(token.word) && !lowerAscii.test(next.word);
}
