import type { Config } from './settings.ts';

const sqliteScheme = 'sqlite:';

/** Path of the SQLite file; undefined if the store is PostgreSQL. */
export function sqlitePathOf({ databaseUrl }: Pick<Config, 'databaseUrl'>): string | undefined {
  return databaseUrl.startsWith(sqliteScheme) ? databaseUrl.slice(sqliteScheme.length) : undefined;
}
