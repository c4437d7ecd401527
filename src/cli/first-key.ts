import { dirname, join } from 'node:path';
import type { Config } from '../config/settings.ts';
import { sqlitePathOf } from '../config/sqlite-path.ts';

/** Where the first key is kept: next to the SQLite file, in the data folder for a store on PostgreSQL. */
export function firstKeyPath(config: Config): string {
  const sqlitePath = sqlitePathOf(config);
  return join(sqlitePath === undefined ? config.dataDir : dirname(sqlitePath), 'first-key');
}
