import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openStorage } from '../../src/container.ts';
import { AppError } from '../../src/domain/shared/errors.ts';
import { writeMemory } from '../../src/storage/contract/store-fixture.ts';
import type { StorageEngine } from '../../src/storage/engine.ts';
import type { TransferRecord } from '../../src/storage/transfer.ts';
import { engines, newDatabase, type TestDatabase } from '../support/database.ts';
import { testConfig } from '../support/test-config.ts';

const dayMs = 86_400_000;
const now = Date.parse('2026-05-10T12:00:00Z');

describe.each(engines)('what imports leave on %s', (engine) => {
  let database: TestDatabase;
  let storage: StorageEngine;
  beforeEach(async () => {
    database = await newDatabase(engine);
    storage = await openStorage(testConfig({ MEMORYD_DATABASE_URL: database.url }), { exclusive: true });
  });
  afterEach(async () => {
    await storage.close();
    await database.drop();
  });

  const names = async () =>
    [...(await storage.users.list()), ...(await storage.users.listInactive())].map(({ name }) => name).sort();
  const add = async (name: string, at: number) => {
    const user = await storage.users.insert({
      publicId: randomUUID(),
      name,
      email: 'shared@example.test',
      at,
    });
    await writeMemory(storage.forUser(user), { content: `of ${name}` });
    return user;
  };

  it('what an import leaves is erased by the service: what was replaced, and what is loading since a day, but nothing else', async () => {
    const kept = await add('ana', now - 9 * dayMs);
    await add('(replaced) 7', now);
    await add('(loading) ben', now - 2 * dayMs);
    await add('(loading) carl', now - 1000);
    await storage.transfer.eraseLeft(now);
    expect(await names()).toEqual(['(loading) carl', 'ana']);
    expect(await storage.forUser(kept).memories.count()).toBe(1);
  });

  it('a copy of a user gets an e-mail address of its own', async () => {
    const ana = await add('ana', now);
    const records: TransferRecord[] = [];
    await storage.transfer.read({ user: 'ana', onProgress: () => undefined }, async (record) => {
      records.push(record);
    });
    async function* all() {
      yield* records;
    }
    await storage.transfer.load(all(), { as: 'copy', at: now });
    const emails = (await storage.users.list()).map(({ name, email }) => [name, email]);
    expect(emails).toEqual([
      ['ana', 'shared@example.test'],
      ['copy', 'copy@memoryd.invalid'],
    ]);
    await storage.users.erase(ana);
    await storage.transfer.load(all(), { as: 'ana', at: now });
    expect((await storage.users.findByName('ana'))?.email).toBe('shared@example.test');
  });

  it('a load that cannot erase what it replaced says that everything is loaded', async () => {
    await add('ana', now);
    const records: TransferRecord[] = [];
    await storage.transfer.read({ onProgress: () => undefined }, async (record) => {
      records.push(record);
    });
    async function* all() {
      yield* records;
    }
    vi.spyOn(storage.users, 'erase').mockRejectedValueOnce(
      new AppError('STORAGE_FULL', 'The disk is full: nothing was stored.', { retryAfter: 5 }),
    );
    await expect(storage.transfer.load(all(), { at: now })).rejects.toThrow(
      'Everything is loaded, but not all that it replaced is erased yet, since the disk is full.',
    );
    expect((await storage.users.list()).map(({ name }) => name)).toEqual(['ana']);
    await storage.transfer.eraseLeft(now);
    expect(await names()).toEqual(['ana']);
  });
});
