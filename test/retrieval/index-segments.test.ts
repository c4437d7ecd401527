import { afterEach, describe, expect, it } from 'vitest';
import type { User } from '../../src/domain/users/user.ts';
import { columnNames } from '../../src/search-index/columns/columns.ts';
import { IndexCache } from '../../src/search-index/index-cache.ts';
import type { IndexReader } from '../../src/search-index/ports.ts';
import type { UserIndex } from '../../src/search-index/rows/user-index.ts';
import { SegmentWriter } from '../../src/search-index/segments/write-segments.ts';
import type { StorageEngine } from '../../src/storage/engine.ts';
import { engines, newDatabase, type TestDatabase } from '../support/database.ts';
import { type EmbeddingFixture, openWith } from '../support/embedding-fixture.ts';
import { type Random, randomFrom } from '../support/random.ts';
import { runStatement } from '../support/run-statement.ts';

const sizes = { changesMin: 8, rows: 24, vectors: 16 };
const bytesMax = 2 ** 26;

const readerOf = (storage: StorageEngine, user: User) => storage.indexFor(user);

/** Counts of what was read of rows, and a reader that never sees a segment if it is to be without. */
function spyOn(reader: IndexReader, withSegments: boolean) {
  const seen = { rows: 0, segments: 0 };
  const spied: IndexReader = Object.assign(Object.create(reader) as IndexReader, {
    changesSince: async (...args: Parameters<IndexReader['changesSince']>) => {
      const rows = await reader.changesSince(...args);
      seen.rows += rows.length;
      return rows;
    },
    segments: {
      list: async (epoch: number) => (withSegments ? reader.segments.list(epoch) : []),
      data: async (segment: Parameters<IndexReader['segments']['data']>[0]) => {
        seen.segments++;
        return reader.segments.data(segment);
      },
    },
  });
  return { spied, seen };
}

function coldCache(storage: StorageEngine, user: User, withSegments: boolean) {
  const { spied, seen } = spyOn(readerOf(storage, user), withSegments);
  const errors: Error[] = [];
  const cache = new IndexCache({
    bytesMax,
    readerFor: () => spied,
    onUnreadable: (_, error) => errors.push(error),
  });
  return { cache, seen, errors };
}

async function coldIndex(storage: StorageEngine, user: User, withSegments: boolean) {
  const { cache, seen, errors } = coldCache(storage, user, withSegments);
  return { index: await cache.get(user, { withVectors: true }), seen, errors };
}

async function writeSegments(storage: StorageEngine): Promise<Error[]> {
  const errors: Error[] = [];
  const writer = new SegmentWriter({
    segments: storage.segments,
    readerFor: (user) => storage.indexFor(user),
    report: (error) => errors.push(error),
    sizes,
  });
  while ((await writer.slice()).more);
  return errors;
}

/** All that searches ask of an index, by names in place of numbers. */
function contentOf(index: UserIndex) {
  const rows = Array.from({ length: index.size }, (_, row) => [
    ...columnNames
      .filter((name) => name !== 'conversation' && name !== 'speaker')
      .map((name) => index.columns[name][row]),
    index.conversations.value(index.columns.conversation[row]),
    index.columns.speaker[row] < 0 ? '' : index.speakers.value(index.columns.speaker[row]),
    index.topicsOf(row).map((topic) => index.topicKeys.value(topic)),
    index.metadata.numbersOf(row),
    index.conversationRows.previous[row],
    index.conversationRows.next[row],
  ]);
  const cosines = index.vectors?.nearest(new Float32Array(256).fill(1 / 16), {
    count: 10_000,
    isSeen: () => true,
  });
  return {
    rows,
    cosines: [...(cosines ?? [])].sort(([a], [b]) => a - b),
    vectors: index.vectors?.size,
    documents: index.documents,
    documentTerms: index.documentTerms,
  };
}

class Edits {
  readonly #store: EmbeddingFixture;
  readonly #user: User;
  readonly #random: Random;
  readonly #live: string[] = [];
  readonly #conversations: string[] = [];
  #next = 0;

  constructor(store: EmbeddingFixture, user: User, random: Random) {
    this.#store = store;
    this.#user = user;
    this.#random = random;
  }

  async one(): Promise<void> {
    const random = this.#random;
    if (this.#live.length < 5 || random.chance(0.6)) return this.#create();
    const { memories, trash } = this.#store.services;
    const at = random.int(0, this.#live.length - 1);
    const id = this.#live[at] ?? '';
    const act = random.int(0, 5);
    if (act <= 1)
      await memories.update(this.#user, id, { content: `changed ${this.#next++}`, topics: this.#topics() });
    else if (act === 2) {
      await memories.delete(this.#user, id);
      this.#live.splice(at, 1);
    } else {
      const { items } = await trash.list(this.#user, { limit: 100, offset: 0 });
      const deleted = items.filter(({ kind }) => kind === 'memory');
      if (act === 5) await this.#merge();
      else if (deleted.length > 0) {
        const entry = random.pick(deleted);
        if (act === 3) {
          await trash.restore(this.#user, entry.id);
          this.#live.push(entry.recordId);
        } else if (random.chance(0.4)) await trash.erase(this.#user, entry.id);
      }
    }
  }

  async #create(): Promise<void> {
    const random = this.#random;
    const known = this.#conversations.length > 0 && random.chance(0.8);
    const { memory } = await this.#store.services.memories.create(
      this.#user,
      {
        content: `${random.pick(['Ada: hello', 'Ben: what is it?', 'a note'])} ${this.#next++}`,
        topics: this.#topics(),
        eventTime: random.chance(0.5) ? random.int(1, 2 ** 41) : undefined,
        validTo: random.chance(0.2) ? 2 ** 42 : undefined,
        metadata: random.chance(0.3)
          ? { place: random.pick(['here', 'there']), n: random.int(1, 3) }
          : undefined,
      },
      { conversationId: known ? random.pick(this.#conversations) : 'NEW' },
    );
    this.#live.push(memory.id);
    if (!known) this.#conversations.push(memory.conversationId);
  }

  #topics(): string[] {
    return this.#random.sample(['Tea', 'tea', 'Garden', 'Work', 'sea'], this.#random.int(0, 2));
  }

  async #merge(): Promise<void> {
    const { items } = await this.#store.storage.forUser(this.#user).topics.list({
      sortBy: 'name',
      order: 'asc',
      limit: 50,
      offset: 0,
    });
    const [source, target] = this.#random.sample(items, 2);
    if (source && target) await this.#store.services.topicMerges.merge(this.#user, source.id, target.id);
  }
}

describe.each(engines)('segments of a user index on %s', (engine) => {
  let database: TestDatabase | undefined;
  let store: EmbeddingFixture | undefined;
  const open = async () => {
    database ??= await newDatabase(engine);
    store = await openWith(database, 'static', { serving: false });
    return { ...store, database };
  };
  afterEach(async () => {
    await store?.close();
    await database?.drop();
    database = undefined;
  });

  it.each([2, 3])(
    'segments and what changed since give the index that rows give, after each of many random edits (seed %i)',
    async (seed) => {
      const opened = await open();
      const user = await opened.user('ann');
      const random = randomFrom(seed);
      const edits = new Edits(opened, user, random);
      let fromSegments = 0;
      for (let i = 0; i < 120; i++) {
        await edits.one();
        if (random.chance(0.15)) expect(await writeSegments(opened.storage)).toEqual([]);
        if (!random.chance(0.15)) continue;
        const { index, seen, errors } = await coldIndex(opened.storage, user, true);
        const { index: rows } = await coldIndex(opened.storage, user, false);
        expect(errors).toEqual([]);
        expect(contentOf(index)).toEqual(contentOf(rows));
        if (seen.segments > 0) fromSegments++;
      }
      expect(fromSegments).toBeGreaterThan(0);
    },
    60_000,
  );

  const writeMany = async (opened: EmbeddingFixture, count: number) => {
    for (let i = 0; i < count; i++) await opened.write('ann', `secret-place-${i} is a garden`);
  };

  const damageSegments = (of: TestDatabase, where: string) =>
    runStatement(of, `UPDATE index_segments SET data = substr(data, 1, length(data) - 1) WHERE ${where}`);

  it('a process that does not know a user reads segments and the few rows that changed since', async () => {
    const opened = await open();
    const user = await opened.user('ann');
    await writeMany(opened, 40);
    await writeSegments(opened.storage);
    await writeMany(opened, 3);
    const { index, seen } = await coldIndex(opened.storage, user, true);
    expect(index.size).toBe(43);
    expect(index.vectors?.size).toBe(43);
    expect(seen.rows).toBe(3);
  });

  it('vectors are read with the first search that asks for them, those of memories that came since too', async () => {
    const opened = await open();
    const user = await opened.user('ann');
    await writeMany(opened, 40);
    await writeSegments(opened.storage);
    const { cache, seen } = coldCache(opened.storage, user, true);
    const byWords = await cache.get(user, { withVectors: false });
    expect([byWords.size, byWords.vectors]).toEqual([40, undefined]);
    const rowSegments = seen.segments;
    await writeMany(opened, 3);
    expect((await cache.get(user, { withVectors: false })).vectors).toBeUndefined();
    expect(seen.segments).toBe(rowSegments);
    const index = await cache.get(user, { withVectors: true });
    expect(index).toBe(byWords);
    expect(seen.segments).toBeGreaterThan(rowSegments);
    await writeMany(opened, 2);
    await cache.get(user, { withVectors: false });
    const { index: rows } = await coldIndex(opened.storage, user, false);
    expect(rows.vectors?.size).toBe(45);
    expect(contentOf(index)).toEqual(contentOf(rows));
  });

  it('a segment of vectors that is damaged is named, and vectors are read from the store', async () => {
    const opened = await open();
    const user = await opened.user('ann');
    await writeMany(opened, 40);
    await writeSegments(opened.storage);
    await damageSegments(opened.database, 'space <> 0');
    const { index, errors } = await coldIndex(opened.storage, user, true);
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^Segment [0-9]+ of space [0-9]+ cannot be read$/),
    ]);
    const { index: rows } = await coldIndex(opened.storage, user, false);
    expect(index.vectors?.size).toBe(40);
    expect(contentOf(index)).toEqual(contentOf(rows));
  });

  it('a segment that is damaged is named, and the search answers from rows; then all are written again', async () => {
    const opened = await open();
    const user = await opened.user('ann');
    await writeMany(opened, 40);
    await writeSegments(opened.storage);
    await damageSegments(opened.database, 'space = 0');
    const { index, errors } = await coldIndex(opened.storage, user, true);
    expect(index.size).toBe(40);
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^Segment [0-9]+ of the rows cannot be read$/),
    ]);
    await opened.storage.segments.drop(user.id);
    await writeSegments(opened.storage);
    const after = await coldIndex(opened.storage, user, true);
    expect([after.errors, after.seen.rows]).toEqual([[], 0]);
  });

  it('a check names segments that are damaged, and a repair has them written again', async () => {
    const opened = await open();
    const user = await opened.user('ann');
    await writeMany(opened, 40);
    await writeSegments(opened.storage);
    const check = () => opened.storage.upkeep.check(() => undefined);
    expect((await check()).faults).toEqual([]);
    await damageSegments(opened.database, 'number = 1');
    const report = await check();
    expect(report.faults).toMatchObject([
      { user: { id: user.id }, missing: [], damagedSegments: expect.arrayContaining(['0/1']) },
    ]);
    await opened.storage.upkeep.repair(report, { at: 5000, onProgress: () => undefined });
    expect((await check()).faults).toEqual([]);
    expect(await writeSegments(opened.storage)).toEqual([]);
    const after = await coldIndex(opened.storage, user, true);
    expect([after.errors, after.seen.rows, after.index.size]).toEqual([[], 0, 40]);
  });

  it('an erasing takes all segments of the user along, and removing the user too', async () => {
    const opened = await open();
    const user = await opened.user('ann');
    await writeMany(opened, 40);
    const gone = await opened.write('ann', 'what is to be erased');
    await writeSegments(opened.storage);
    const list = async () => {
      const reader = opened.storage.indexFor(user);
      return reader.segments.list((await reader.head()).epoch);
    };
    const before = await list();
    expect(before.length).toBeGreaterThan(1);
    await opened.services.memories.delete(user, gone.id);
    const { items } = await opened.services.trash.list(user, { limit: 10, offset: 0 });
    await opened.services.trash.erase(user, items[0]?.id ?? '');
    expect(await list()).toEqual([]);
    for (const segment of before)
      expect(await opened.storage.indexFor(user).segments.data(segment)).toBeUndefined();
    await writeSegments(opened.storage);
    const after = await list();
    expect(after.length).toBeGreaterThan(1);
    await opened.storage.users.erase({ ...user, createdAt: 1, updatedAt: 1, email: '' } as never);
    for (const segment of after)
      expect(await opened.storage.indexFor(user).segments.data(segment)).toBeUndefined();
  });

  it('segments that were written before an erasing are refused after it', async () => {
    const opened = await open();
    const user = await opened.user('ann');
    await writeMany(opened, 20);
    await writeSegments(opened.storage);
    const reader = opened.storage.indexFor(user);
    const { epoch } = await reader.head();
    const last = (await reader.segments.list(epoch)).filter(({ space }) => space === 0).at(-1);
    const change = { epoch: epoch + 1, space: 0, last, removed: [], extendedTo: 1000 };
    expect(await opened.storage.segments.change(user.id, change)).toBe(false);
    expect(await opened.storage.segments.change(user.id, { ...change, epoch, last: undefined })).toBe(false);
    expect(await opened.storage.segments.change(user.id, { ...change, epoch })).toBe(true);
  });
});
