import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { engines, newDatabase, type TestDatabase } from '../support/database.ts';
import { client } from '../support/http-client.ts';
import { runStatement } from '../support/run-statement.ts';
import { runMemoryd, startServer } from '../support/server.ts';
import { newTempFolder } from '../support/temp-folder.ts';

interface Found {
  readonly meta: { readonly total: number };
}

let databases: TestDatabase[];
let folder: { path: string; remove(): void };
beforeEach(() => {
  databases = [];
  folder = newTempFolder('rollback');
});
afterEach(async () => {
  for (const database of databases) await database.drop();
  folder.remove();
});

async function newStore(engine: (typeof engines)[number]): Promise<TestDatabase> {
  const database = await newDatabase(engine);
  databases.push(database);
  return database;
}

/** As docs/deploy.md says: the store is of a newer version, the backup and the program of the older one. */
describe.each(engines)('a rollback on %s', (engine) => {
  it('a rollback refuses the newer store, and goes on from the backup that was made before the upgrade', async () => {
    const store = await newStore(engine);
    const server = await startServer({ databaseUrl: store.url });
    await client(server.url, server.key).post('/api/memories', { content: 'from before the upgrade' });
    const backup = join(folder.path, 'before-upgrade');
    expect(await runMemoryd(store.url, ['backup', backup])).toMatchObject({ code: 0 });
    await server.stop();
    await runStatement(store, "INSERT INTO schema_migrations (id, name) VALUES (9999, 'of a newer version')");

    const refused = { code: 1, stderr: expect.stringContaining('The store is of version 9999') };
    expect(await runMemoryd(store.url, ['serve'])).toMatchObject(refused);
    const inPlace = await runMemoryd(store.url, ['restore', backup, '--yes']);
    // PostgreSQL wants a new database: an older memoryd does not open the newer one.
    if (engine === 'postgres') expect(inPlace).toMatchObject(refused);
    const target = engine === 'postgres' ? await newStore(engine) : store;
    if (engine === 'postgres')
      expect(await runMemoryd(target.url, ['restore', backup])).toMatchObject({ code: 0 });

    const again = await startServer({ databaseUrl: target.url, env: { MEMORYD_API_KEY: server.key } });
    const { body } = await client(again.url, server.key).get<Found>('/api/memories/search?q=upgrade');
    expect(body.meta.total).toBe(1);
    await again.stop();
  }, 120_000);
});
