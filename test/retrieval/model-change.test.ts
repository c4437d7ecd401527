import { afterEach, describe, expect, it, vi } from 'vitest';
import type { EmbeddingModels } from '../../src/embedding/load-models.ts';
import { engines, newDatabase, type TestDatabase } from '../support/database.ts';
import { bundledModelName, type EmbeddingFixture, openWith } from '../support/embedding-fixture.ts';
import { newGate } from '../support/gate.ts';
import { SlowEmbedder } from '../support/slow-embedder.ts';

const names = ['ann', 'ben', 'cid'];

describe.each(engines)('a change of model on %s', (engine) => {
  const opened = new Set<EmbeddingFixture>();
  const databases: TestDatabase[] = [];
  const newStore = async () => {
    const database = await newDatabase(engine);
    databases.push(database);
    return database;
  };
  const open = async (database: TestDatabase, models: EmbeddingModels | 'static' | 'none') => {
    const fixture = await openWith(database, models);
    opened.add(fixture);
    return fixture;
  };
  const close = async (fixture: EmbeddingFixture) => {
    opened.delete(fixture);
    await fixture.close();
  };
  const servedBy = async ({ spaces }: EmbeddingFixture, model: string) =>
    expect.poll(spaces, { timeout: 30_000 }).toEqual([`${model} serving 0 0`]);
  /** 40 memories for each of three users, one of them edited. */
  const fill = async (store: EmbeddingFixture) => {
    for (const name of names) {
      for (let i = 0; i < 40; i++) await store.write(name, `${name} saw two puppies, number ${i}`);
      const memory = await store.write(name, 'a kitten purrs');
      await store.services.memories.update(await store.user(name), memory.id, { content: 'a whale sings' });
    }
  };

  afterEach(async () => {
    vi.restoreAllMocks();
    for (const fixture of opened) await close(fixture);
    for (const database of databases.splice(0)) await database.drop();
  });

  it('a change of model builds a new space while the old one serves and gets the writes, and then switches', async () => {
    const database = await newStore();
    const before = await open(database, 'static');
    await fill(before);
    await close(before);

    const embedder = new SlowEmbedder();
    embedder.gate = newGate();
    const store = await open(database, embedder.models);
    await embedder.gate.reached;
    await store.write('ann', 'an elephant drinks');
    const isFound = async () =>
      (await store.found('ann', 'animal trunk ivory')).includes('an elephant drinks');
    expect(await isFound()).toBe(true);
    expect((await store.spaces()).map((space) => space.split(' ').slice(0, 2).join(' '))).toEqual([
      `${bundledModelName} serving`,
      'slow-model building',
    ]);
    embedder.gate.open();
    await servedBy(store, 'slow-model');
    expect(await isFound()).toBe(true);
    for (const name of ['ben', 'cid']) expect(await store.found(name, 'dogs')).toHaveLength(40);
    // Two texts are those of three users.
    expect(embedder.texts.length).toBeLessThanOrEqual(new Set(embedder.texts).size + 4);
  });

  it('a change of model goes on where it was stopped, and embeds nothing twice', async () => {
    const database = await newStore();
    const before = await open(database, 'static');
    await fill(before);
    await close(before);

    const first = new SlowEmbedder();
    const stopped = await open(database, first.models);
    await expect.poll(() => first.texts.length).toBeGreaterThan(0);
    await close(stopped);
    if (engine === 'postgres') vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
    const second = new SlowEmbedder();
    const store = await open(database, second.models);
    await servedBy(store, 'slow-model');
    for (const name of names) expect(await store.found(name, 'dogs')).toHaveLength(40);
    const all = 3 * 42;
    expect(first.texts.length + second.texts.length).toBeLessThanOrEqual(all + 128);
  });

  it('a change of model leaves searches to words while the model of the old space cannot be had', async () => {
    const database = await newStore();
    const before = await open(database, new SlowEmbedder().models);
    await fill(before);
    await servedBy(before, 'slow-model');
    await close(before);

    const store = await open(database, 'static');
    expect(await store.found('ann', 'two puppies', { method: 'hybrid' })).toHaveLength(40);
    await servedBy(store, bundledModelName);
    expect(await store.found('ann', 'dogs')).toHaveLength(40);
  });

  it('a change of model is given up where the configuration goes back before it is done', async () => {
    const database = await newStore();
    const before = await open(database, 'static');
    await fill(before);
    await close(before);
    const embedder = new SlowEmbedder();
    embedder.gate = newGate();
    const changing = await open(database, embedder.models);
    await embedder.gate.reached;
    await close(changing);

    const store = await open(database, 'static');
    await servedBy(store, bundledModelName);
    expect(await store.found('ben', 'dogs')).toHaveLength(40);
  });

  it.runIf(engine === 'postgres')(
    'a change of model is noticed by a process that was started before it',
    async () => {
      const database = await newStore();
      const older = await open(database, new SlowEmbedder('old-model').models);
      await fill(older);
      await servedBy(older, 'old-model');
      const embedder = new SlowEmbedder('new-model');
      embedder.gate = newGate();
      const newer = await open(database, { ...embedder.models });
      await embedder.gate.reached;
      await older.write('ann', 'an elephant drinks');
      embedder.gate.open();
      await servedBy(newer, 'new-model');
      expect(await newer.found('ann', 'animal trunk ivory')).toContain('an elephant drinks');
      await older.write('ben', 'an elephant drinks');
      await expect.poll(() => newer.found('ben', 'animal trunk ivory')).toContain('an elephant drinks');
    },
  );
});
