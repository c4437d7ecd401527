import {
  createUserKey,
  type Engine,
  newDatabase,
  type Server,
  startServer,
} from '../../test/support/server.ts';
import { embedderSettings } from '../report/embedder-settings.ts';
import type { DataSet } from './data-set.ts';

/**
 * Measures a service of its own on an empty store, with a user and a key for each conversation of the set.
 * @param env further settings
 */
export async function measureEngine<T>(
  set: DataSet,
  engine: Engine,
  measure: (url: string, keys: readonly string[]) => Promise<T>,
  embedder = 'static',
  env: Readonly<Record<string, string>> = {},
): Promise<T> {
  const database = await newDatabase(engine);
  let server: Server | undefined;
  try {
    server = await startServer({ databaseUrl: database.url, env: { ...embedderSettings(embedder), ...env } });
    const keys: string[] = [];
    for (const { id } of set.conversations) keys.push(await createUserKey(database.url, id));
    return await measure(server.url, keys);
  } finally {
    await server?.stop();
    await database.drop();
  }
}
