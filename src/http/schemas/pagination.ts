import { type Static, Type } from 'typebox';
import type { Page } from '../../domain/shared/page.ts';
import { type BytesBound, PageBytes } from '../../domain/shared/page-bytes.ts';
import { component } from './component.ts';

export const truncatedFields = {
  truncated: Type.Optional(
    Type.Boolean({
      description: 'True where the response ended early: it contains 8 MiB of records at most.',
    }),
  ),
  nextOffset: Type.Optional(
    Type.Integer({
      description: 'With `truncated`: the offset at which to go on, where there is an offset.',
    }),
  ),
} as const;

/** `meta` of lists that say nothing else in it; absent where nothing was left out. */
export const TruncatedMetaSchema = Type.Object(truncatedFields, component('ListMeta'));
export type TruncatedMeta = Static<typeof TruncatedMetaSchema>;

/** To be spread into a list's response. */
export function truncatedMeta({ nextOffset }: { readonly nextOffset?: number }): { meta?: TruncatedMeta } {
  return nextOffset === undefined ? {} : { meta: { truncated: true, nextOffset } };
}

/** Pagination of a list without an offset. */
export function cutShort(isFull: boolean): { meta?: TruncatedMeta } {
  return isFull ? { meta: { truncated: true } } : {};
}

/** The first of these records, as many as fit into a response. */
export function fitRecords<T>(
  records: readonly T[],
  boundOf?: BytesBound<T>,
): { readonly data: T[]; readonly isFull: boolean } {
  const bytes = new PageBytes<T>(boundOf);
  const isFull = records.some((record) => !bytes.take(record));
  return { data: [...bytes.items], isFull };
}

/** The page as far as its records fit into a response. */
export function fitPage<T>(page: Page<T>, boundOf: BytesBound<T>): Page<T> {
  const bytes = new PageBytes<T>(boundOf);
  for (const item of page.items)
    if (!bytes.take(item))
      return { ...page, items: bytes.items, nextOffset: page.offset + bytes.items.length };
  return page;
}

/** `count` is the number of all matching items, not of those on the page. */
export function toPagination({ limit, offset, count }: Page<unknown>): {
  limit: number;
  offset: number;
  count: number;
} {
  return { limit, offset, count };
}
