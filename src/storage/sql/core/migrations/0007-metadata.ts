import type { ColumnTypes } from './column-types.ts';

/** Metadata as JSON, and the keys that find it; older memories have none. */
export function metadata({ text }: ColumnTypes): string[] {
  return [
    `ALTER TABLE memory_versions ADD COLUMN metadata ${text}`,
    `ALTER TABLE memory_versions ADD COLUMN metadata_keys ${text} NOT NULL DEFAULT ''`,
  ];
}
