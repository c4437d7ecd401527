import type { Page } from '../../domain/shared/page.ts';

/** `count` is the number of all matching items, not of those on the page. */
export function toPagination({ limit, offset, count }: Page<unknown>): {
  limit: number;
  offset: number;
  count: number;
} {
  return { limit, offset, count };
}
