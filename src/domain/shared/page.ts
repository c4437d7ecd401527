import { invalidInput } from './errors.ts';

export const pageLimitDefault = 20;
export const pageLimitMax = 1000;

/** Position of an item in a list: its values of the sort keys; the last value is unique. */
export type Position = readonly (number | string)[];

/** A part of a list: at most `limit` items after `offset`, or after the position of an item. */
export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
  /** `offset` is 0 with it. */
  readonly after?: Position;
}

/** A part of a list; `count` is the number of items in the whole list. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly limit: number;
  readonly offset: number;
  readonly count: number;
  /** Offset of the first item that was left out because the page was full in bytes; absent if nothing was. */
  readonly nextOffset?: number;
  /** Position of the last item; undefined at the end of the list. */
  readonly next?: Position;
  /** Position of each item, in lists that are made to fit a response later. */
  readonly positions?: readonly Position[];
}

export interface PageQuery {
  readonly limit?: number;
  readonly offset?: number;
  /** 1-based alternative to `offset`; `offset` wins if both are sent. */
  readonly page?: number;
}

/**
 * Clamps a `limit` over the maximum (clients ask for more than a server returns); refuses others with 422.
 */
export function toPageRequest(
  query: PageQuery,
  limitDefault = pageLimitDefault,
  limitMax = pageLimitMax,
): PageRequest {
  const limit = Math.min(query.limit ?? limitDefault, limitMax);
  if (limit < 1) throw invalidInput('limit', 'must be a whole number of 1 or more');
  if (query.page !== undefined && query.page < 1)
    throw invalidInput('page', 'must be a whole number of 1 or more');
  const offset = query.offset ?? (query.page === undefined ? 0 : (query.page - 1) * limit);
  if (offset < 0) throw invalidInput('offset', 'must be a whole number of 0 or more');
  return { limit, offset: Math.min(offset, Number.MAX_SAFE_INTEGER) };
}
