import type { Memory } from '../../domain/memories/memory.ts';
import type { ExpectedRevs } from '../../domain/memories/update-memory.ts';

/** The ETag of a memory as it is now. */
export function etagOf({ rev }: Pick<Memory, 'rev'>): string {
  return `"${rev}"`;
}

/** The versions that `If-Match` allows an edit to start from; without the header, or with `*`, any. */
export function expectedRevs(header: string | undefined): ExpectedRevs {
  if (header === undefined || header.trim() === '*') return undefined;
  return header.split(',').flatMap((tag) => {
    const match = /^\s*(?:W\/)?"(\d{1,15})"\s*$/.exec(tag);
    return match ? [Number(match[1])] : [];
  });
}
