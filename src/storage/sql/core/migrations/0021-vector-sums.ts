import type { ColumnTypes } from './column-types.ts';

/** A sum of each vector, so that one that was changed is seen; a job gives those from before theirs, which the index finds. */
export const vectorSums = ({ integer }: ColumnTypes): string[] => [
  `ALTER TABLE memory_vectors ADD COLUMN crc ${integer}`,
  'CREATE INDEX memory_vectors_without_crc ON memory_vectors (user_id, doc, space, part) WHERE crc IS NULL',
];
