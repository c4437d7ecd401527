import type { DocumentIndexer } from './retrieval/ports.ts';
import type { StorageEngine } from './storage/engine.ts';
import { openPostgresEngine } from './storage/postgres/postgres-engine.ts';
import { openSqliteEngine } from './storage/sqlite/sqlite-engine.ts';

export interface StorageOptions {
  /** `sqlite:PATH` or `postgres://…`. */
  readonly databaseUrl: string;
  /** Connections to PostgreSQL at most. */
  readonly connections: number;
  /** True for the process that serves, false for commands beside it. */
  readonly exclusive: boolean;
  readonly indexer: DocumentIndexer;
}

const sqliteScheme = 'sqlite:';

/** Opens the store that the URL names: the one place that knows the engines. */
export function openStorage({
  databaseUrl,
  connections,
  exclusive,
  indexer,
}: StorageOptions): Promise<StorageEngine> {
  if (databaseUrl.startsWith(sqliteScheme)) {
    return openSqliteEngine({ path: databaseUrl.slice(sqliteScheme.length), exclusive, indexer });
  }
  return openPostgresEngine({ url: databaseUrl, connections, indexer });
}
