import type { ColumnTypes } from './column-types.ts';

/** A checksum per vector, to detect changed ones; a job fills in missing sums, found by the index. */
export const vectorSums = ({ integer }: ColumnTypes): string[] => [
  `ALTER TABLE memory_vectors ADD COLUMN crc ${integer}`,
  'CREATE INDEX memory_vectors_without_crc ON memory_vectors (user_id, doc, space, part) WHERE crc IS NULL',
];
