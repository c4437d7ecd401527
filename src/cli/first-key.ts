import { dirname, join } from 'node:path';
import { sqlitePathOf } from '../config/data-folder.ts';
import type { Config } from '../config/settings.ts';

/** Where the first key is kept: next to the SQLite file, in the data folder for a store on PostgreSQL. */
export function firstKeyPath(config: Config): string {
  const sqlitePath = sqlitePathOf(config);
  return join(sqlitePath === undefined ? config.dataDir : dirname(sqlitePath), 'first-key');
}
