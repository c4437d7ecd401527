import type { ColumnTypes } from './column-types.ts';

/**
 * A repeat gets the ETag of the first response; stored
 * responses that contain the secret of a key are deleted.
 */
export function responseEtags({ text }: ColumnTypes): string[] {
  return [
    `ALTER TABLE idempotency_keys ADD COLUMN etag ${text}`,
    `DELETE FROM idempotency_keys WHERE body LIKE '{"data":{"apiKey":"cmk_live_%'`,
  ];
}
