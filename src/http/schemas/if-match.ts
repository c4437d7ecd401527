import { createHash } from 'node:crypto';
import type { Memory } from '../../domain/memories/memory.ts';
import type { ExpectedRevs } from '../../domain/memories/update-memory.ts';
import { editConflict, type Precondition } from '../../domain/shared/precondition.ts';

type Headers = Readonly<Record<string, unknown>>;

/** The ETag of a memory as it is now. */
export function etagOf({ rev }: Pick<Memory, 'rev'>): string {
  return `"${rev}"`;
}

/** The ETag of any other record: of what it shows, whoever it belongs to, so that it outlives a move to another store. */
export function etagOfRecord(record: object): string {
  const shown = JSON.stringify(record, (key, value: unknown) => (key === 'userId' ? undefined : value));
  return `"${createHash('sha256').update(shown).digest('base64url').slice(0, 22)}"`;
}

/** The tags of an `If-Match`, weak ones taken for strong; undefined without the header, or with `*`: any will do. */
function requestedTags(header: unknown): string[] | undefined {
  if (typeof header !== 'string' || header.trim() === '*') return undefined;
  return header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
}

/** Whether a request has an If-Match that names versions, and so changes only one of these. */
export function isConditional(headers: Headers): boolean {
  return requestedTags(headers['if-match']) !== undefined;
}

/** The versions that `If-Match` allows an edit to start from; without the header, or with `*`, any. */
export function expectedRevs(header: string | undefined): ExpectedRevs {
  return requestedTags(header)?.flatMap((tag) => {
    const match = /^"(\d{1,15})"$/.exec(tag);
    return match ? [Number(match[1])] : [];
  });
}

/** Demands that a record, shown by `toRecord`, has one of the tags of `If-Match`. */
export function ifMatch<R>(headers: Headers, toRecord: (record: R) => object): Precondition<R> | undefined {
  const tags = requestedTags(headers['if-match']);
  if (tags === undefined) return undefined;
  return (record) => {
    if (!tags.includes(etagOfRecord(toRecord(record)))) throw editConflict();
  };
}
