import type { ColumnTypes } from './column-types.ts';

/** A repeat has the ETag of the first response; and responses that were stored with the secret of a key go. */
export function responseEtags({ text }: ColumnTypes): string[] {
  return [
    `ALTER TABLE idempotency_keys ADD COLUMN etag ${text}`,
    `DELETE FROM idempotency_keys WHERE body LIKE '{"data":{"apiKey":"cmk_live_%'`,
  ];
}
