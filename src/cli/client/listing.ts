import { showTime } from '../output/local-time.ts';
import { type Column, type ListOutput, printList } from '../output/print.ts';
import { note } from '../output/terminal.ts';
import type { PageOptions } from './service.ts';

/** A page of records as lists of the service answer it. */
export interface Listed<T> {
  readonly data: readonly T[];
  readonly pagination: { readonly count: number };
}

interface Page<T> extends Omit<ListOutput<T>, 'json'> {
  /** Total over all pages. */
  readonly total: number;
  /** The body of the response. */
  readonly body: unknown;
}

/** A list that the service answered. */
export function printListed<T>(
  body: Listed<T>,
  shown: Pick<Page<T>, 'columns' | 'none'>,
  options: PageOptions,
): void {
  printPage({ ...shown, items: body.data, total: body.pagination.count, body }, options);
}

/** Prints a page as a table, with a note on further pages, or as the JSON of the service. */
export function printPage<T>(page: Page<T>, { offset, json }: PageOptions): void {
  const { items, total, body } = page;
  printList({ ...page, json: json && body });
  const next = offset + items.length;
  if (!json && items.length > 0 && next < total)
    note(`${items.length} of ${total}; --offset ${next} shows more.`);
}

/** The fields of a memory in a list. */
interface ListedMemory {
  readonly id: string;
  readonly content: string;
  readonly name?: string;
  readonly topics?: readonly string[];
  readonly createdAt: string;
  readonly eventTime?: string;
}

/** The beginning of an id in lists, which commands accept for the whole id: its prefix, and 8 characters. */
const beginning = /^(?:[a-z]+_)?.{0,8}/;

export function shortId(id: string): string {
  return beginning.exec(id)?.[0] ?? id;
}

/** Columns of lists of memories. The time is that of the event if known, else that of writing. */
export const memoryColumns: readonly Column<ListedMemory>[] = [
  { heading: 'ID', valueIn: ({ id }) => shortId(id), format: 'yellow' },
  { heading: 'TIME', valueIn: ({ eventTime, createdAt }) => showTime(eventTime ?? createdAt), format: 'dim' },
  { heading: 'TEXT', valueIn: ({ content }) => content, isFlexible: true },
  { heading: 'TOPICS', valueIn: ({ topics = [] }) => topics.join(', '), format: 'cyan' },
];
