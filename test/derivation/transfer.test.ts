import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createServices, openStorage, type Services } from '../../src/container.ts';
import type { UserRef } from '../../src/domain/shared/user-ref.ts';
import type { StorageEngine } from '../../src/storage/engine.ts';
import type { TransferRecord } from '../../src/storage/transfer.ts';
import { engines, newDatabase, type TestDatabase } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import { readRows } from '../support/run-statement.ts';
import { testConfig } from '../support/test-config.ts';

const page = { limit: 100, offset: 0 };

describe.each(engines)('what was derived and the export of users on %s', (engine) => {
  let database: TestDatabase;
  let storage: StorageEngine;
  let services: Services;
  let ana: UserRef;
  beforeEach(async () => {
    database = await newDatabase(engine);
    const config = testConfig({ MEMORYD_DATABASE_URL: database.url });
    storage = await openStorage(config, { exclusive: true });
    services = createServices(config, storage);
    ana = await storage.users.insert({ publicId: 'a', name: 'ana', email: 'ana@example.test', at: 1 });
  });
  afterEach(async () => {
    await services.close();
    await storage.close();
    await database.drop();
  });

  const write = async (content: string) =>
    (await services.memories.create(ana, { content }, { conversationId: 'NEW' })).memory.id;

  async function copied(edit: (record: TransferRecord) => TransferRecord = (record) => record) {
    const records: TransferRecord[] = [];
    await storage.transfer.read({ user: 'ana', onProgress: () => undefined }, async (record) => {
      records.push(edit(record));
    });
    async function* all() {
      yield* records;
    }
    await storage.transfer.load(all(), { as: 'copy', at: 2 });
    const copy = await storage.users.findByName('copy');
    if (!copy) throw new Error('The copy is missing.');
    return copy;
  }

  async function seenBy(user: UserRef) {
    const facts = await services.facts.list(user, { ...page, sortBy: 'createdAt', order: 'asc' });
    const topics = await services.topics.list(user, { ...page, sortBy: 'name', order: 'asc' });
    const entities = await readRows(
      { engine, url: database.url },
      `SELECT id, name, type FROM entities WHERE user_id = ${user.id} ORDER BY id`,
    );
    const sorted = facts.items.map(({ id, subject, object }) => ({ id, subject, object }));
    return {
      facts: sorted.sort((a, b) => (a.id < b.id ? -1 : 1)),
      topics: topics.items.map(({ id, name, memoryCount }) => ({ id, name, memoryCount })),
      entities,
    };
  }

  it('an imported user gets what was derived with the same ids, once it is derived again', async () => {
    await write('Ana: I moved to Lisbon in March and use Kafka for the nightly export.');
    await write('Marek uses Kafka for the nightly export.');
    await deriveAll(services);
    const before = await seenBy(ana);
    expect(before.facts.length).toBeGreaterThan(1);
    const copy = await copied();
    expect((await services.facts.list(copy, { ...page, sortBy: 'createdAt', order: 'asc' })).items).toEqual(
      [],
    );
    await deriveAll(services);
    expect(await seenBy(copy)).toEqual(before);
    const report = await storage.upkeep.check(() => undefined);
    expect(report.faults).toEqual([]);
  });

  it('what came with an import and is not derived again is not shown, and goes when a memory is erased', async () => {
    const id = await write('Marek uses Kafka for the nightly export.');
    await deriveAll(services);
    const other = 'The gym closes at ten.';
    const copy = await copied((record) =>
      'table' in record && record.table === 'memory_versions'
        ? { ...record, row: { ...record.row, content: other } }
        : record,
    );
    await deriveAll(services);
    const seen = await seenBy(copy);
    expect(seen.topics.map(({ name }) => name)).not.toContain('Kafka');
    expect(seen.facts.map(({ object }) => object)).toEqual(['ten']);
    await services.memories.delete(copy, id);
    const [entry] = (await services.trash.list(copy, page)).items;
    await services.trash.erase(copy, entry.id);
    for (const table of ['entities', 'facts', 'topics']) {
      const query = `SELECT count(*) AS n FROM ${table} WHERE user_id = ${copy.id}`;
      const [{ n }] = await readRows({ engine, url: database.url }, query);
      expect([table, Number(n)]).toEqual([table, 0]);
    }
  });
});
