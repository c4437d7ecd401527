import type { PageOptions } from '../client/service-options.ts';
import { type ListOutput, type Print, printList } from '../output/print-list.ts';
import { note } from '../output/terminal.ts';

/** A page of records as lists of the service answer it. */
export interface Listed<T> {
  readonly data: readonly T[];
  readonly pagination: { readonly count: number };
}

export interface Page<T> extends Omit<ListOutput<T>, 'json'> {
  /** Total over all pages. */
  readonly total: number;
  /** The body of the response. */
  readonly body: unknown;
}

/** A list that the service answered. */
export function printListed<T>(
  print: Print,
  body: Listed<T>,
  shown: Pick<Page<T>, 'columns' | 'none'>,
  options: PageOptions,
): void {
  printPage(print, { ...shown, items: body.data, total: body.pagination.count, body }, options);
}

/** A page as a table, with a word on what follows it, or as the JSON that the service answered. */
export function printPage<T>(print: Print, page: Page<T>, { offset, json }: PageOptions): void {
  const { items, total, body } = page;
  printList(print, { ...page, json: json && body });
  const next = offset + items.length;
  if (!json && items.length > 0 && next < total)
    note(`${items.length} of ${total}; --offset ${next} shows more.`);
}
