import { afterEach, describe, expect, it, vi } from 'vitest';
import { searchDefaults } from '../../src/search/request.ts';
import { WorkSignals } from '../../src/storage/sql/jobs/work-signals.ts';
import { newText } from '../prove/unique-text.ts';
import { engines, newDatabase, type TestDatabase } from '../support/database.ts';
import { type EmbeddingFixture, openWith, semanticRequest } from '../support/embedding-fixture.ts';
import { newGate } from '../support/gate.ts';
import { randomFrom } from '../support/random.ts';
import { SlowEmbedder } from '../support/slow-embedder.ts';

describe.each(engines)('an embedder too slow for a write, on %s', (engine) => {
  const opened: EmbeddingFixture[] = [];
  const databases: TestDatabase[] = [];
  const open = async (embedder: SlowEmbedder, database?: TestDatabase, serving = true) => {
    const own = database ?? (await newDatabase(engine));
    if (!database) databases.push(own);
    const fixture = await openWith(own, embedder.models, { serving });
    opened.push(fixture);
    return { ...fixture, database: own };
  };

  afterEach(async () => {
    vi.restoreAllMocks();
    for (const fixture of opened.splice(0)) await fixture.close();
    for (const database of databases.splice(0)) await database.drop();
  });

  it('a slow embedder embeds in the background, and a search right after the write finds it', async () => {
    const store = await open(new SlowEmbedder());
    const { embedding } = store.storage;
    const waitUntilEmbedded = embedding.waitUntilEmbedded.bind(embedding);
    // A search waits a quarter of a second, which a busy machine may need for something else.
    const wait = vi
      .spyOn(embedding, 'waitUntilEmbedded')
      .mockImplementation((user) => waitUntilEmbedded(user, 60_000));
    for (let i = 0; i < 5; i++) {
      await store.write('ann', `two puppies sleep, ${i}`);
      expect(await store.found('ann', 'dogs')).toHaveLength(i + 1);
    }
    expect(wait).toHaveBeenCalledWith(await store.user('ann'), 250);
    expect(await store.spaces()).toEqual(['slow-model serving 0 0']);
    expect(embedding.embedded).toBe(5);
  });

  it('a slow embedder shows how far a version is', async () => {
    const embedder = new SlowEmbedder('slow-model', 20);
    const store = await open(embedder, undefined, false);
    const { doc } = await store.write('ann', 'two puppies sleep');
    const ann = await store.user('ann');
    const status = async () => (await store.storage.embedding.statusOf(ann, [doc])).get(doc);
    expect(await status()).toBe('queued');
    embedder.gate = newGate();
    store.services.jobs.start();
    await embedder.gate.reached;
    expect(await status()).toBe('running');
    embedder.gate.open();
    await expect.poll(status).toBe('completed');
    expect(store.storage.embedding.longestInput()).toBe(20);
  });

  it('a search with a slow embedder returns without what is still waiting after a while, and finds it later', async () => {
    const embedder = new SlowEmbedder();
    const store = await open(embedder);
    await store.write('ann', 'two puppies sleep');
    await store.storage.embedding.waitUntilEmbedded(await store.user('ann'), 60_000);
    expect(await store.found('ann', 'dogs')).toEqual(['two puppies sleep']);
    embedder.gate = newGate();
    await store.write('ann', 'a kitten purrs');
    expect(await store.found('ann', 'cats')).not.toContain('a kitten purrs');
    embedder.gate.open();
    await expect.poll(() => store.found('ann', 'cats')).toContain('a kitten purrs');
  });

  it('a search with a slow embedder says of a memory that it has no vector yet, and finds it once it has', async () => {
    const embedder = new SlowEmbedder();
    const store = await open(embedder);
    await store.write('ann', 'two puppies sleep');
    const ann = await store.user('ann');
    await store.storage.embedding.waitUntilEmbedded(ann, 60_000);
    embedder.gate = newGate();
    const { id } = await store.write('ann', 'a kitten purrs');
    const explained = async () =>
      (await store.services.search.search(ann, { ...semanticRequest, query: 'cats', explainId: id }))
        .explained;
    expect(await explained()).toMatchObject({
      status: 'unmatched',
      arms: [
        { arm: 'vector', found: false, reason: 'It has no vector yet: it is compared once it is embedded.' },
      ],
    });
    embedder.gate.open();
    await expect.poll(async () => (await explained())?.status).toBe('found');
  });

  it('a search with a slow embedder waits for what was written before it, not for what is written during it', async () => {
    const embedder = new SlowEmbedder();
    const store = await open(embedder);
    const ann = await store.user('ann');
    const [first, second] = [newGate(), newGate()];
    embedder.gate = first;
    await store.write('ann', 'two puppies sleep');
    await first.reached;
    const waits = new Promise((resolve) => {
      const { nextDone } = WorkSignals.prototype;
      vi.spyOn(WorkSignals.prototype, 'nextDone').mockImplementation(function (this: WorkSignals, ...args) {
        resolve(undefined);
        return nextDone.apply(this, args);
      });
    });
    let isDone = false;
    const done = store.storage.embedding.waitUntilEmbedded(ann, 60_000).then(() => {
      isDone = true;
    });
    await waits;
    const { doc } = await store.write('ann', 'a kitten purrs');
    expect(isDone).toBe(false);
    embedder.gate = second;
    first.open();
    await done;
    expect((await store.storage.embedding.statusOf(ann, [doc])).get(doc)).not.toBe('completed');
    second.open();
    await store.storage.embedding.waitUntilEmbedded(ann, 60_000);
    expect((await store.storage.embedding.statusOf(ann, [doc])).get(doc)).toBe('completed');
  });

  it('a search with a slow embedder scores what is written while the query itself is waited for', async () => {
    const embedder = new SlowEmbedder();
    const store = await open(embedder);
    await store.write('ann', 'two puppies sleep');
    const user = await store.user('ann');
    const search = (query: string) =>
      store.services.search.search(user, { ...semanticRequest, method: 'hybrid', query });
    await search('puppies');
    embedder.queryGate = newGate();
    const waiting = search('dogs in a basket');
    await embedder.queryGate.reached;
    await store.write('ann', 'a basket for both');
    await store.found('ann', 'basket', { method: 'keyword' });
    embedder.queryGate.open();
    const { hits } = await waiting;
    expect(hits.map(({ memory }) => memory.content)).toContain('two puppies sleep');
    const scores = hits.flatMap(({ score, branchScores }) => [score, ...Object.values(branchScores)]);
    expect(scores.filter((score) => !Number.isFinite(score))).toEqual([]);
  });

  it('a memory that a slow embedder has not embedded yet is found first by its own words in a hybrid search', async () => {
    const embedder = new SlowEmbedder();
    const store = await open(embedder);
    const random = randomFrom(7);
    for (let i = 0; i < 60; i++) await store.write('ann', newText(random));
    await store.storage.embedding.waitUntilEmbedded(await store.user('ann'), 60_000);
    embedder.gate = newGate();
    for (let i = 0; i < 6; i++) {
      const text = newText(random);
      await store.write('ann', text);
      const [first] = await store.found('ann', text, { ...searchDefaults, method: 'hybrid' });
      expect(first).toBe(text);
    }
    embedder.gate.open();
  });

  it('a slow embedder goes on after a stop with what was taken and not done', async () => {
    const embedder = new SlowEmbedder();
    embedder.gate = newGate();
    const store = await open(embedder);
    await store.write('ann', 'two puppies sleep');
    await embedder.gate.reached;
    const again = new SlowEmbedder();
    await store.close();
    opened.length = 0;
    // On PostgreSQL another process might still be at it: its lease has to run out.
    if (engine === 'postgres') vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
    const other = await open(again, store.database);
    await expect.poll(() => other.found('ann', 'dogs')).toEqual(['two puppies sleep']);
    vi.restoreAllMocks();
    expect(again.texts).toEqual(['two puppies sleep']);
  });

  it('a slow embedder gives a text up after three tries, and takes the others', async () => {
    const embedder = new SlowEmbedder();
    embedder.refused = 'poison';
    const store = await open(embedder, undefined, false);
    const bad = await store.write('ann', 'poison for puppies');
    await store.write('ann', 'two puppies sleep');
    vi.spyOn(Date, 'now').mockImplementation(() =>
      Math.floor(performance.timeOrigin + 1000 * performance.now()),
    );
    store.services.jobs.start();
    await expect.poll(() => store.spaces()).toEqual(['slow-model serving 0 1']);
    vi.restoreAllMocks();
    const ann = await store.user('ann');
    expect((await store.storage.embedding.statusOf(ann, [bad.doc])).get(bad.doc)).toBe('failed');
    expect(await store.found('ann', 'dogs')).toEqual(['two puppies sleep']);
  });

  it('a slow embedder does not count what fails while the server cannot be reached', async () => {
    const embedder = new SlowEmbedder();
    embedder.isAway = true;
    const store = await open(embedder);
    await store.write('ann', 'two puppies sleep');
    await store.write('ann', 'a kitten purrs');
    await expect.poll(() => store.spaces()).toEqual(['slow-model serving 2 0']);
    embedder.isAway = false;
    await expect.poll(() => store.spaces()).toEqual(['slow-model serving 0 0']);
    expect(await store.found('ann', 'dogs')).toContain('two puppies sleep');
  });

  it('a slow embedder embeds versions closed or deleted before their turn, never the same text twice, and none erased', async () => {
    const embedder = new SlowEmbedder();
    const store = await open(embedder, undefined, false);
    const ann = await store.user('ann');
    const memory = await store.write('ann', 'two puppies sleep');
    await store.services.memories.update(ann, memory.id, { content: 'a kitten purrs' });
    await store.services.memories.update(ann, memory.id, { topics: ['pets'] });
    const asOfTime = Date.now();
    const erased = await store.write('ann', 'a secret of whales');
    await store.services.memories.delete(ann, erased.id);
    await store.services.trash.erase(
      ann,
      (await store.services.trash.list(ann, { limit: 1, offset: 0 })).items[0].id,
    );
    store.services.jobs.start();
    await expect.poll(() => store.spaces()).toEqual(['slow-model serving 0 0']);
    expect(embedder.texts.toSorted()).toEqual(['a kitten purrs', 'two puppies sleep']);
    await store.services.memories.update(ann, memory.id, { topics: ['animals'] });
    expect(await store.found('ann', 'cats')).toEqual(['a kitten purrs']);
    expect(embedder.texts).toHaveLength(2);
    expect(asOfTime).toBeGreaterThan(0);
  });
});
