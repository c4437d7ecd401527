import { afterEach, describe, expect, it } from 'vitest';
import { engines, newDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { poll } from '../../../../test/support/poll.ts';
import { connectTo } from '../../../../test/support/postgres-client.ts';
import { testConfig } from '../../../../test/support/test-config.ts';
import type { Environment } from '../../../config/load.ts';
import { createServices, openStorage, type Services } from '../../../container.ts';
import type { StorageEngine } from '../../engine.ts';

describe.runIf(engines.includes('postgres'))('the HNSW index of a store that is served', () => {
  let database: TestDatabase;
  const stores: { readonly storage: StorageEngine; readonly services: Services }[] = [];
  afterEach(async () => {
    for (const { services, storage } of stores.splice(0)) {
      await services.close();
      await storage.close();
    }
    await database.drop();
  });

  const serve = async (settings: Environment = {}) => {
    const config = testConfig({ MEMORYD_DATABASE_URL: database.url, ...settings });
    const storage = await openStorage(config, { exclusive: true });
    const services = createServices(config, storage);
    stores.push({ storage, services });
    services.jobs.start();
    return storage;
  };
  const query = async (text: string) => {
    const client = await connectTo(database.url);
    const { rows } = await client.query<{ name: string }>(text);
    await client.end();
    return rows.map(({ name }) => name);
  };

  const builtIndexes = (count = 1) =>
    poll('the indexes', async () => {
      const names = await query(
        `SELECT relname AS name FROM pg_index JOIN pg_class ON oid = indexrelid
         WHERE starts_with(relname, 'memory_vectors_near_') AND indisvalid ORDER BY relname`,
      );
      return names.length >= count ? names : undefined;
    });

  it('the HNSW index of each space is built by whichever of the services comes first', async () => {
    database = await newDatabase('postgres');
    await serve({ MEMORYD_EMBEDDER: 'bundled' });
    await serve({ MEMORYD_EMBEDDER: 'bundled' });
    expect(await builtIndexes(2)).toEqual(['memory_vectors_near_1', 'memory_vectors_near_2']);
  });

  it('the HNSW index keeps no service from starting while another one builds it', async () => {
    database = await newDatabase('postgres');
    await serve();
    // During the build, PostgreSQL would see a deadlock between the service and the lock below.
    await builtIndexes();
    const builder = await connectTo(database.url);
    // The lock that CREATE INDEX CONCURRENTLY holds.
    await builder.query('BEGIN; LOCK TABLE memory_vectors IN SHARE UPDATE EXCLUSIVE MODE');
    try {
      await serve();
    } finally {
      await builder.query('ROLLBACK');
      await builder.end();
    }
    expect(stores).toHaveLength(2);
  });

  it('the HNSW index counts the failures of building it', async () => {
    database = await newDatabase('postgres');
    const store = await serve();
    // Another relation with the name of the index blocks its creation.
    await builtIndexes();
    await query('ALTER TABLE memory_vectors RENAME TO memory_vectors_away');
    await poll('a failure that is counted', async () =>
      store.failures.counts.find(({ task }) => task === 'hnsw_index'),
    );
    await query('ALTER TABLE memory_vectors_away RENAME TO memory_vectors');
  });
});
