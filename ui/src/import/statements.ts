import {
  ExternalIds,
  type Fields,
  type Statement as Read,
  type RecordSource,
  type RefusedRecord,
  statementOfElement,
  statementOfLine,
} from '../../../src/cli/import/statement.ts';
import { type Layout, type Piece, piecesOf } from './pieces.ts';
import { sha256 } from './sha256.ts';

/** Why a line or element is not sent; its words are `words().import.rules`. */
type Rule = 'tooLong' | 'notUtf8' | 'notJson' | 'notObject' | 'listCut' | 'afterList' | RefusedRecord['rule'];

export interface Refusal {
  readonly rule: Rule;
  /** In the browser's words, or a value from the file. */
  readonly detail?: string;
}

/** A memory to create, with an `externalId`. */
export interface Statement extends Read {
  /** As it is in the file. */
  readonly given: Fields;
}

export interface Item {
  /** Of its line, or its place in the list, from 1. */
  readonly number: number;
  /** Bytes of the file up to its end. */
  readonly end: number;
  readonly content: Statement | { readonly refusal: Refusal };
}

/** The memories of a file from its beginning, read as they are asked for. */
export async function* itemsOf(file: Blob, layout: 'lines' | 'list'): AsyncGenerator<Item> {
  const ids = new ExternalIds(sha256);
  const name = file instanceof File ? file.name.replace(/\.\w+$/, '') : '';
  const source = { file: name, format: 'jsonl' };
  for await (const piece of piecesOf(file, layout)) {
    const content = contentOf(piece, layout, { ids, source });
    if (content !== undefined) yield { number: piece.number, end: piece.end, content };
  }
}

const refuse = (rule: Rule, detail?: string): Item['content'] => ({ refusal: { rule, detail } });

interface Known {
  readonly ids: ExternalIds;
  readonly source: RecordSource;
}

/** Undefined for an empty line. */
function contentOf(
  { bytes, fault }: Piece,
  layout: Layout,
  { ids, source }: Known,
): Item['content'] | undefined {
  if (fault !== undefined) return refuse(fault);
  if (bytes === undefined) return refuse('tooLong');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return refuse('notUtf8');
  }
  if (text.trim() === '' && layout === 'lines') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse('notObject');
    const given = value as Fields;
    const read = layout === 'list' ? statementOfElement(given, source) : statementOfLine(given, source);
    return 'rule' in read ? { refusal: read } : { ...read, body: ids.withId(read), given };
  } catch (error) {
    // Also too deep to be written again. Chrome adds a place, which would be read as one in the file.
    return refuse('notJson', (error as Error).message.replace(/ \(line \d+ column \d+\)$/, ''));
  }
}
