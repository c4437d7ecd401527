import { parse } from 'yaml';
import type { Fields } from '../reader.ts';
import { isFields } from '../shared/fields.ts';

/** UTF-16 units; a longer head is read as text. */
const headLengthMax = 256 * 1024;
/** Nested levels of `metadata`, which has 8 with the object itself and one for our own use. */
const depthMax = 6;

interface Split {
  /** Empty without front matter. */
  readonly fields: Fields;
  readonly body: string;
  /** Front matter that is no YAML, or no list of fields: its text, and why. */
  readonly broken?: { readonly text: string; readonly reason: string };
}

const opening = /^---[ \t]*\r?\n/;
const closing = /^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/m;

/** The head of a Markdown file between two lines `---`, and the text after it. A head that is not closed is text. */
export function splitFrontMatter(text: string): Split {
  const [start = ''] = opening.exec(text) ?? [];
  if (start === '') return { fields: {}, body: text };
  const rest = text.slice(start.length);
  const end = closing.exec(rest.slice(0, headLengthMax));
  if (end === null) return { fields: {}, body: text };
  const head = rest.slice(0, end.index);
  const body = rest.slice(end.index + end[0].length);
  try {
    // A list of aliases of aliases would make a small head a large object: the parser bounds them.
    const value: unknown = parse(head, { maxAliasCount: 100, logLevel: 'error' }) ?? {};
    if (!isFields(value)) return { fields: {}, body, broken: { text: head, reason: 'it has no fields' } };
    return { fields: plainFields(value, 1), body };
  } catch (error) {
    const [reason] = (error as Error).message.split('\n');
    return { fields: {}, body, broken: { text: head, reason: `it is no YAML: ${reason}` } };
  }
}

/** The fields with what JSON and the service store: no `__proto__`, no NUL, no infinite numbers, not too deep. */
function plainFields(fields: Fields, depth: number): Fields {
  const entries = Object.entries(fields)
    .filter(([name, value]) => name !== '__proto__' && value !== undefined && value !== null)
    .map(([name, value]) => [storable(name), plainValue(value, depth)]);
  return Object.fromEntries(entries);
}

function plainValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return storable(value);
  if (typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value)))
    return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= depthMax) return storable(JSON.stringify(value));
  if (Array.isArray(value)) return value.map((each) => plainValue(each, depth + 1));
  return value instanceof Date ? value.toISOString() : plainFields(value as Fields, depth + 1);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the service does not store NUL
const nul = /\u0000/g;

/** A text that the service stores: NUL and halves of surrogate pairs are replaced by U+FFFD. */
export const storable = (text: string) => text.replace(nul, '\ufffd').toWellFormed();
