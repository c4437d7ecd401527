import type { ColumnTypes } from './column-types.ts';

/** Edges of one millisecond are in order of writing. Older edges keep 0, and so the order of their ids. */
export const edgeOrder = ({ integer }: ColumnTypes) => [
  `ALTER TABLE memory_edges ADD COLUMN seq ${integer} NOT NULL DEFAULT 0`,
];
