import type { ColumnTypes } from './column-types.ts';

/** Ids of memories in other systems, unique per user; older memories have none. */
export function externalIds({ text }: ColumnTypes): string[] {
  return [
    `ALTER TABLE memories ADD COLUMN external_id ${text}`,
    `CREATE UNIQUE INDEX memories_by_external_id ON memories (user_id, external_id)
      WHERE external_id IS NOT NULL`,
  ];
}
