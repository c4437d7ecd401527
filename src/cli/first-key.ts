import { dirname, join } from 'node:path';
import type { Config } from '../config/settings.ts';
import { sqlitePathOf } from '../container.ts';

/** Where the first key is kept: beside the SQLite file, in `data` for a store on PostgreSQL. */
export function firstKeyPath(config: Config): string {
  const sqlitePath = sqlitePathOf(config);
  return join(sqlitePath === undefined ? 'data' : dirname(sqlitePath), 'first-key');
}
