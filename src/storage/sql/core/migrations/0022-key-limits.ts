import type { ColumnTypes } from './column-types.ts';

/** How many requests a minute a key may make; keys from before have no limit. */
export const keyLimits = ({ integer }: ColumnTypes): string[] => [
  `ALTER TABLE api_keys ADD COLUMN requests_per_minute ${integer}`,
];
