/** A piece of a text that somebody else wrote. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'hit'; readonly text: string }
  /** A character that is not seen, or that moves others: its name is shown in its place. */
  | { readonly kind: 'mark'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly host: string };

/** Control characters but for line feed and tab, characters of direction, of no width, and tags. */
const unseen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;
const links =
  /\bhttps?:\/\/[^\s<>"'`\u200b-\u200f\u202a-\u202e]+[^\s<>"'`.,;:!?)\]}\u200b-\u200f\u202a-\u202e]/gi;

const nameOf = (character: string) =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/**
 * Cuts a text into pieces to be shown as they are; together they have all of it.
 * @param hits ranges in UTF-16 units that are emphasised, ascending and apart
 */
export function partsOf(text: string, hits: readonly { start: number; end: number }[] = []): Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const match of text.matchAll(links)) {
    const host = hostOf(match[0]);
    if (host === undefined) continue;
    withHits(parts, text, { start: at, end: match.index }, hits);
    parts.push({ kind: 'link', text: match[0], host });
    at = match.index + match[0].length;
  }
  withHits(parts, text, { start: at, end: text.length }, hits);
  return parts;
}

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}

export type Range = { readonly start: number; readonly end: number };

function withHits(parts: Part[], text: string, { start, end }: Range, hits: readonly Range[]): void {
  let at = start;
  for (const hit of hits) {
    if (hit.end <= at || hit.start >= end) continue;
    withMarks(parts, 'text', text.slice(at, hit.start));
    withMarks(parts, 'hit', text.slice(Math.max(at, hit.start), Math.min(end, hit.end)));
    at = Math.min(end, hit.end);
  }
  withMarks(parts, 'text', text.slice(at, end));
}

function withMarks(parts: Part[], kind: 'text' | 'hit', text: string): void {
  let at = 0;
  for (const match of text.matchAll(unseen)) {
    if (match.index > at) parts.push({ kind, text: text.slice(at, match.index) });
    parts.push({ kind: 'mark', text: nameOf(match[0]) });
    at = match.index + match[0].length;
  }
  if (at < text.length) parts.push({ kind, text: text.slice(at) });
}
