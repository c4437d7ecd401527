import { hash } from 'node:crypto';

const titleLengthMax = 80;

/** The title of a conversation that has none: the beginning of its first text, in one line. */
export function titleFrom(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= titleLengthMax) return line;
  const cut = line.slice(0, titleLengthMax);
  const lastSpace = cut.lastIndexOf(' ');
  return `${(lastSpace > titleLengthMax / 2 ? cut.slice(0, lastSpace) : cut).toWellFormed()}…`;
}

/** An id for a record that has none in its source: what makes the record itself, hashed. */
export function idOf(...parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 32);
}

/** Eight hexadecimal digits that tell names apart which are written alike. */
export const shortHash = (text: string) => hash('sha256', text, 'hex').slice(0, 8);

/** The last part of a path. */
export const fileName = (path: string) => path.slice(path.lastIndexOf('/') + 1);

const nameLengthMax = 64;

/** A name for a named memory: the parts in lower case with hyphens, at most 64 characters; a longer one ends in a hash. */
export function nameFrom(...parts: readonly string[]): string {
  const whole = parts.join('-');
  const plain = whole.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const name = plain.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
  const isWhole = /^[\x20-\x7e]*$/.test(plain) && name.length > 1 && name.length <= nameLengthMax;
  if (isWhole) return name;
  return `${name.slice(0, nameLengthMax - 9).replace(/-$/, '')}-${shortHash(whole)}`.replace(/^-/, 'n-');
}
