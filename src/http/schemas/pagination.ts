import { type Static, Type } from 'typebox';
import { fromCursor, type ListScope, toCursor } from '../../domain/shared/cursor.ts';
import { invalidInput } from '../../domain/shared/errors.ts';
import { type Page, type PageQuery, type PageRequest, toPageRequest } from '../../domain/shared/page.ts';
import { type BytesBound, PageBytes } from '../../domain/shared/page-bytes.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { component } from './component.ts';
import type { PaginationSchema } from './envelope.ts';

export const truncatedFields = {
  truncated: Type.Optional(
    Type.Boolean({
      description: 'True where the response ended early: it contains 8 MiB of records at most.',
    }),
  ),
  nextOffset: Type.Optional(
    Type.Integer({
      description: 'With `truncated`: the offset at which to go on, if the list has one.',
    }),
  ),
} as const;

/** `meta` of lists without other members; absent if the list is complete. */
export const TruncatedMetaSchema = Type.Object(truncatedFields, component('ListMeta'));
type TruncatedMeta = Static<typeof TruncatedMetaSchema>;

/** Spread it into the response of a list. */
export function truncatedMeta({ nextOffset }: { readonly nextOffset?: number }): { meta?: TruncatedMeta } {
  return nextOffset === undefined ? {} : { meta: { truncated: true, nextOffset } };
}

/** Pagination of a list without an offset. */
export function cutShort(isFull: boolean): { meta?: TruncatedMeta } {
  return isFull ? { meta: { truncated: true } } : {};
}

/** The first records that fit into a response. */
export function fitRecords<T>(
  records: readonly T[],
  boundOf?: BytesBound<T>,
): { readonly data: T[]; readonly isFull: boolean } {
  const bytes = new PageBytes<T>(boundOf);
  const isFull = records.some((record) => !bytes.take(record));
  return { data: [...bytes.items], isFull };
}

/** The first records of the page that fit into a response. */
export function fitPage<T>(page: Page<T>, boundOf: BytesBound<T>): Page<T> {
  const bytes = new PageBytes<T>(boundOf);
  for (const item of page.items)
    if (!bytes.take(item)) {
      const { length } = bytes.items;
      return {
        ...page,
        items: bytes.items,
        nextOffset: page.offset + length,
        next: page.positions?.[length - 1],
      };
    }
  return page;
}

/** The parts of a list request that its cursors depend on. */
export interface ListRequest {
  readonly user: Pick<UserRef, 'publicId'>;
  readonly routeOptions: { readonly url?: string };
  readonly params: unknown;
  readonly query: PageQuery & { readonly cursor?: string };
}

const places: readonly string[] = ['limit', 'offset', 'page', 'cursor'];

/** The owner of a list and its parameters, without the position. */
function scopeOf({ user, routeOptions, params, query }: ListRequest): ListScope {
  const asked = Object.entries(query).filter(([name]) => !places.includes(name));
  return [user.publicId, routeOptions.url, params, asked.sort(([a], [b]) => (a < b ? -1 : 1))];
}

/** The position in a list, from a cursor or an offset. @throws 422 */
export function toListPage(request: ListRequest, limitDefault?: number): PageRequest {
  const page = toPageRequest(request.query, limitDefault);
  const { cursor } = request.query;
  if (cursor === undefined) return page;
  if (page.offset > 0) throw invalidInput('cursor', 'must not be sent with an offset or a page');
  return { ...page, after: fromCursor(cursor, scopeOf(request)) };
}

/** The cursor of the next page, for spreading; empty on the last page. */
export function nextCursorOf(
  { next }: Pick<Page<unknown>, 'next'>,
  request: ListRequest,
): { nextCursor?: string } {
  return next ? { nextCursor: toCursor(next, scopeOf(request)) } : {};
}

/** Pagination of lists that have their own count; absent on the last page. */
export function goesOn(
  page: Page<unknown>,
  request: ListRequest,
): { pagination?: Static<typeof PaginationSchema> } {
  return page.next ? { pagination: toPagination(page, request) } : {};
}

/**
 * `count` is the number of all matching items, not of those on the page.
 * @param request left out for lists without a cursor
 */
export function toPagination(page: Page<unknown>, request?: ListRequest): Static<typeof PaginationSchema> {
  const { limit, offset, count } = page;
  return { limit, offset, count, ...(request && nextCursorOf(page, request)) };
}
