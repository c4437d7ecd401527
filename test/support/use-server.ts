import { afterAll, beforeAll } from 'vitest';
import { type Engine, newDatabase, type TestDatabase } from './database.ts';
import { onceMade } from './once-made.ts';
import { type Server, startServer } from './server.ts';

export interface ServerOnStore extends Server {
  /** What `MEMORYD_DATABASE_URL` takes. */
  readonly databaseUrl: string;
}

/** A service on an empty store for all tests of a `describe`: there once their hooks run, stopped after them. */
export function useServer(engine: Engine, env?: Readonly<Record<string, string>>): ServerOnStore {
  let database: TestDatabase | undefined;
  let server: ServerOnStore | undefined;
  beforeAll(async () => {
    database = await newDatabase(engine);
    server = { ...(await startServer({ databaseUrl: database.url, env })), databaseUrl: database.url };
  });
  afterAll(async () => {
    await server?.stop();
    await database?.drop();
  });
  return onceMade(() => server);
}
