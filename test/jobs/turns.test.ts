import { afterEach, describe, expect, it } from 'vitest';
import { createServices, openStorage } from '../../src/container.ts';
import type { Step } from '../../src/domain/jobs/step.ts';
import type { TransferRecord } from '../../src/storage/transfer.ts';
import { engines, newDatabase, type TestDatabase } from '../support/database.ts';
import { newGate } from '../support/gate.ts';
import { testConfig } from '../support/test-config.ts';

/** Of a memory of the busy user: a slice has eight at most. */
const length = 2000;
const timeout = { timeout: 20_000 };

type Run = (contents: readonly string[]) => Promise<void>;

/** Remembers the first words of the memories of each slice. */
function slicing(run: Run = async () => undefined, more: Partial<Step> = {}) {
  const slices: string[][] = [];
  const step: Step = {
    name: 'record',
    version: 1,
    run: async (batch) => {
      const contents = batch.map(({ memory }) => memory.content.trim());
      slices.push(contents);
      await run(contents);
      return batch;
    },
    write: async () => undefined,
    ...more,
  };
  /** How many memories of the busy user were in slices ahead of the slice with the one of the other. */
  const doneBefore = (content: string) =>
    slices
      .slice(
        0,
        slices.findIndex((slice) => slice.includes(content)),
      )
      .flat().length;
  return { step, slices, doneBefore, done: () => slices.flat() };
}

describe.each(engines)('turns of users on %s', (engine) => {
  let database: TestDatabase | undefined;
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    await database?.drop();
    database = undefined;
  });

  const open = async (...steps: readonly Step[]) => {
    database ??= await newDatabase(engine);
    const config = testConfig({ MEMORYD_DATABASE_URL: database.url, MEMORYD_EMBEDDER: 'none' });
    const own = { steps, retryMs: [1, 1] as const };
    const storage = await openStorage(config, { exclusive: true, ...own });
    const services = createServices(config, storage, undefined, own);
    closing.push(async () => {
      await services.close();
      await storage.close();
    });
    const user = async (name: string) =>
      (await storage.users.findByName(name)) ??
      storage.users.insert({ publicId: name, name, email: `${name}@example.test`, at: 1 });
    const write = async (name: string, content: string) => {
      await services.memories.create(await user(name), { content }, { conversationId: 'NEW' });
    };
    /** Of a user who writes much. */
    const writeMany = async (name: string, count: number) => {
      await user(name);
      await Promise.all(Array.from({ length: count }, (_, i) => write(name, `${name} ${i}`.padEnd(length))));
    };
    return { storage, services, user, write, writeMany };
  };

  it.each([
    ['first', 'busy', 'lone'],
    ['second', 'lone', 'busy'],
  ])('a lone memory is in the first slice with many of the %s user', async (_, ...users) => {
    const { step, doneBefore, done } = slicing();
    const store = await open(step);
    for (const name of users) await store.user(name);
    await store.writeMany('busy', 60);
    await store.write('lone', 'lone');
    store.services.jobs.start();
    await expect.poll(() => done().length, timeout).toBe(61);
    expect(doneBefore('lone')).toBe(0);
  });

  it('a memory that comes while a batch of another user is done waits for the slice that is running', async () => {
    let isWritten = false;
    const { step, doneBefore, done, slices } = slicing(async () => {
      if (isWritten) return;
      isWritten = true;
      await store.write('lone', 'lone');
    });
    const store = await open(step);
    await store.writeMany('busy', 60);
    store.services.jobs.start();
    await expect.poll(() => done().length, timeout).toBe(61);
    expect(doneBefore('lone')).toBe(slices[0].length);
    expect(new Set(done()).size).toBe(61);
  });

  it('a step that takes a few items at once takes some of each user', async () => {
    const { step, doneBefore, done } = slicing(undefined, { batchMax: 4 });
    const store = await open(step);
    await store.writeMany('busy', 12);
    await store.write('lone', 'lone');
    await store.write('other', 'other');
    store.services.jobs.start();
    await expect.poll(() => done().length, timeout).toBe(14);
    expect(doneBefore('lone')).toBe(0);
    expect(doneBefore('other')).toBe(0);
  });

  it('an import is derived once all of its rows are there', async () => {
    const { step, done } = slicing();
    const store = await open(step);
    // Its rows come behind those of the versions.
    const topics = ['kept apart'];
    await store.services.memories.create(await store.user('busy'), { content: 'busy', topics }, {});
    const records: TransferRecord[] = [];
    const { transfer } = store.storage;
    await transfer.read({ user: 'busy', onProgress: () => undefined }, async (record) => {
      records.push(record);
    });
    store.services.jobs.start();
    await expect.poll(() => done().length, timeout).toBe(1);
    async function* withOtherWork() {
      let table = '';
      for (const record of records) {
        yield record;
        if (!('table' in record) || record.table === table) continue;
        // The rows of the table before are written now.
        ({ table } = record);
        await store.write('lone', table);
        await expect.poll(done, timeout).toContain(table);
      }
    }
    await transfer.load(withOtherWork(), { as: 'copy', at: 1 });
    const before = done().slice(1);
    expect(before.filter((content) => content.startsWith('busy'))).toEqual([]);
    expect(before).toContain('memory_versions');
    expect(before.at(-1)).not.toBe('memory_versions');
    await expect.poll(() => done().length, timeout).toBe(1 + before.length + 1);
  });

  it('a back-fill waits for new memories of all users, and comes to its end', async () => {
    const older = await open();
    await older.writeMany('busy', 40);
    for (const close of closing.splice(0)) await close();
    let isWritten = false;
    const { step, doneBefore, done, slices } = slicing(async () => {
      if (isWritten) return;
      isWritten = true;
      await store.writeMany('new', 40);
      await store.write('lone', 'lone');
    });
    const store = await open(step);
    store.services.jobs.start();
    // A pass also meets versions that were written since it began, which may then be done again.
    await expect.poll(() => new Set(done()).size, timeout).toBe(81);
    const { work } = store.storage;
    await expect
      .poll(() => Promise.all([work.backfilled(step), work.status()]), timeout)
      .toEqual([{ done: 40, total: 40 }, []]);
    expect(doneBefore('lone')).toBe(slices[0].length);
  });

  it.runIf(engine === 'postgres')(
    'two processes share the work of all users, and each is done once',
    async () => {
      const gate = newGate();
      const one = slicing((contents) =>
        contents[0].startsWith('busy') ? gate.pass(async () => undefined) : Promise.resolve(),
      );
      const other = slicing();
      const [first, second] = [await open(one.step), await open(other.step)];
      await first.writeMany('busy', 60);
      first.services.jobs.start();
      await gate.reached;
      await first.write('lone', 'lone');
      await first.write('alone', 'alone');
      second.services.jobs.start();
      await expect.poll(() => other.done(), timeout).toEqual(expect.arrayContaining(['lone', 'alone']));
      gate.open();
      await expect.poll(() => first.storage.work.status(), timeout).toEqual([]);
      const all = [...one.done(), ...other.done()];
      expect(all.toSorted()).toEqual([...new Set(all)].toSorted());
      expect(all.length).toBe(62);
    },
  );
});
