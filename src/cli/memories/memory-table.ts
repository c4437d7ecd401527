import { showTime } from '../output/local-time.ts';
import type { Column } from '../output/table.ts';

/** The fields of a memory in a list. */
export interface ListedMemory {
  readonly id: string;
  readonly content: string;
  readonly name?: string;
  readonly topics?: readonly string[];
  readonly createdAt: string;
  readonly eventTime?: string;
}

/** The beginning of an id that lists show, and commands take for the whole: what says its kind, and 8 characters. */
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
