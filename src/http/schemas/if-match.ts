import { createHash } from 'node:crypto';
import type { Memory } from '../../domain/memories/memory.ts';
import type { ExpectedRevs } from '../../domain/memories/update-memory.ts';
import { editConflict, type Precondition } from '../../domain/shared/write.ts';

type Headers = Readonly<Record<string, unknown>>;

/** The ETag of the current version of a memory. */
export function etagOf({ rev }: Pick<Memory, 'rev'>): string {
  return `"${rev}"`;
}

/** ETag of other records: hash of the JSON without the owner, so that export and import keep it. */
export function etagOfRecord(record: object): string {
  const shown = JSON.stringify(record, (key, value: unknown) => (key === 'userId' ? undefined : value));
  return `"${createHash('sha256').update(shown).digest('base64url').slice(0, 22)}"`;
}

/** The body and the ETag of a response with one record. */
export function taggedBody<R extends object>(data: R): { body: { data: R }; etag: string } {
  return { body: { data }, etag: etagOfRecord(data) };
}

/** The tags of an `If-Match`, weak ones taken for strong; undefined without the header, or with `*`. */
function requestedTags(header: unknown): string[] | undefined {
  if (typeof header !== 'string' || header.trim() === '*') return undefined;
  return header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
}

/** Whether the request has an `If-Match` with tags. */
export function isConditional(headers: Headers): boolean {
  return requestedTags(headers['if-match']) !== undefined;
}

/** The versions that `If-Match` allows to edit; undefined for any: without the header, or with `*`. */
export function expectedRevs(header: string | undefined): ExpectedRevs {
  return requestedTags(header)?.flatMap((tag) => {
    const match = /^"(\d{1,15})"$/.exec(tag);
    return match ? [Number(match[1])] : [];
  });
}

/** Requires a record, as shown by `toRecord`, to have one of the tags of `If-Match`. */
export function ifMatch<R>(headers: Headers, toRecord: (record: R) => object): Precondition<R> | undefined {
  const tags = requestedTags(headers['if-match']);
  if (tags === undefined) return undefined;
  return (record) => {
    if (!tags.includes(etagOfRecord(toRecord(record)))) throw editConflict();
  };
}
