import { afterEach, describe, expect, it } from 'vitest';
import type { TextKind } from '../../src/domain/embedding/embedder.ts';
import { type EmbeddingModels, loadBundled } from '../../src/embedding/load-models.ts';
import { engines, newDatabase, type TestDatabase } from '../support/database.ts';
import { type EmbeddingFixture, openWith, semanticRequest } from '../support/embedding-fixture.ts';
import { newGate } from '../support/gate.ts';
import { SlowEmbedder } from '../support/slow-embedder.ts';

/** To it an invoice is a puppy, which the bundled model does not know. */
class OddModel extends SlowEmbedder {
  override embed(texts: readonly string[], kind: TextKind): Promise<Float32Array[]> {
    return super.embed(
      texts.map((text) => text.replaceAll('invoice', 'puppy')),
      kind,
    );
  }
}

describe.each(engines)('two models that serve together, on %s', (engine) => {
  const opened: EmbeddingFixture[] = [];
  const databases: TestDatabase[] = [];
  const open = async (models: EmbeddingModels | 'static', database?: TestDatabase) => {
    const own = database ?? (await newDatabase(engine));
    if (!database) databases.push(own);
    // A search that waited as long for the second model as for a server would not end within its test.
    const fixture = await openWith(own, models, { settings: { MEMORYD_EMBEDDER_QUERY_TIMEOUT_MS: '60000' } });
    opened.push(fixture);
    return { ...fixture, database: own };
  };
  const both = (second: SlowEmbedder): EmbeddingModels => ({ ...loadBundled(), second });
  const close = async (fixture: EmbeddingFixture) => {
    opened.splice(
      opened.findIndex(({ storage }) => storage === fixture.storage),
      1,
    );
    await fixture.close();
  };
  const servingBoth = ['static-en-256 serving 0 0', 'slow-model serving 0 0'];

  afterEach(async () => {
    for (const fixture of opened.splice(0)) await fixture.close();
    for (const database of databases.splice(0)) await database.drop();
  });

  it('two models find a memory at once by the first, and by the second when it has embedded it', async () => {
    const second = new OddModel();
    second.gate = newGate();
    const store = await open(both(second));
    await store.write('ann', 'two puppies sleep');
    expect(await store.found('ann', 'dogs')).toEqual(['two puppies sleep']);
    expect(await store.found('ann', 'invoice')).toEqual([]);
    second.gate.open();
    await expect.poll(() => store.found('ann', 'invoice')).toEqual(['two puppies sleep']);
    expect(await store.found('ann', 'dogs')).toEqual(['two puppies sleep']);
    expect(await store.spaces()).toEqual(servingBoth);
  });

  it('two models rank what the second has not embedded next to what it has', async () => {
    const second = new OddModel();
    const store = await open(both(second));
    await store.write('ann', 'two puppies sleep');
    await expect.poll(() => store.found('ann', 'invoice')).toEqual(['two puppies sleep']);
    second.gate = newGate();
    await store.write('ann', 'a kitten purrs');
    expect(await store.found('ann', 'puppies and a kitten', { threshold: 0.1 })).toHaveLength(2);
    second.gate.open();
  });

  it('a search whose second model fails is answered by the first, and says so', async () => {
    const second = new OddModel();
    const store = await open(both(second));
    await store.write('ann', 'two puppies sleep');
    await expect.poll(() => store.found('ann', 'invoice')).toEqual(['two puppies sleep']);
    second.isAway = true;
    const user = await store.user('ann');
    const outcome = await store.services.search.search(user, { ...semanticRequest, query: 'dogs' });
    expect(outcome.hits.map(({ memory }) => memory.content)).toEqual(['two puppies sleep']);
    expect(outcome.method).toBe('semantic');
    expect(outcome.branchFailures).toEqual([{ name: 'encoder', status: 'error', reason: 'provider_error' }]);
  });

  it('a search whose second model is late is answered by the first, and says so', async () => {
    const second = new OddModel();
    const store = await open(both(second));
    await store.write('ann', 'two puppies sleep');
    await expect.poll(() => store.found('ann', 'invoice')).toEqual(['two puppies sleep']);
    second.queryGate = newGate();
    const user = await store.user('ann');
    const search = (query: string) => store.services.search.search(user, { ...semanticRequest, query });
    const outcome = await search('dogs');
    expect(outcome.hits.map(({ memory }) => memory.content)).toEqual(['two puppies sleep']);
    expect(outcome.branchFailures).toEqual([{ name: 'encoder', status: 'timeout', reason: 'timeout' }]);
    second.queryGate.open();
    await expect.poll(async () => (await search('dogs')).branchFailures).toEqual([]);
  });

  it('a search of which the second model has no memory yet does not wait for it', async () => {
    const second = new OddModel();
    second.gate = newGate();
    second.queryGate = newGate();
    const store = await open(both(second));
    await store.write('ann', 'two puppies sleep');
    const user = await store.user('ann');
    const outcome = await store.services.search.search(user, { ...semanticRequest, query: 'dogs' });
    expect(outcome.hits.map(({ memory }) => memory.content)).toEqual(['two puppies sleep']);
    expect(outcome.branchFailures).toEqual([]);
    second.gate.open();
    second.queryGate.open();
  });

  it('a search finds what the second model lacks, however much that is', async () => {
    const second = new OddModel();
    const store = await open(both(second));
    await store.write('ann', 'two puppies sleep');
    await expect.poll(() => store.found('ann', 'invoice')).toEqual(['two puppies sleep']);
    second.gate = newGate();
    const contents = Array.from({ length: 450 }, (_, i) => `a kitten purrs, number ${i}`);
    for (const some of [contents.slice(0, 5), contents.slice(5)]) {
      await Promise.all(some.map((content) => store.write('ann', content)));
      const found = await store.found('ann', 'a kitten', { limit: 1000, threshold: 0.1 });
      for (const content of some.slice(0, 300)) expect(found).toContain(content);
    }
    second.gate.open();
  });

  it('a second model embeds what was written before it came, and serves from its first vector on', async () => {
    const first = await open('static');
    await first.write('ann', 'two puppies sleep');
    await close(first);
    const store = await open(both(new OddModel()), first.database);
    expect(await store.found('ann', 'dogs')).toEqual(['two puppies sleep']);
    await expect.poll(() => store.found('ann', 'invoice')).toEqual(['two puppies sleep']);
    await expect.poll(() => store.spaces()).toEqual(servingBoth);
  });

  it('a second model that is not configured any more is removed, and the first goes on', async () => {
    const first = await open(both(new OddModel()));
    await first.write('ann', 'two puppies sleep');
    await expect.poll(() => first.found('ann', 'invoice')).toEqual(['two puppies sleep']);
    await close(first);
    const store = await open('static', first.database);
    expect(await store.found('ann', 'dogs')).toEqual(['two puppies sleep']);
    await expect.poll(() => store.spaces()).toEqual(['static-en-256 serving 0 0']);
    expect(await store.found('ann', 'invoice')).toEqual([]);
  });

  it('the vectors of both models are made again by a rebuild', async () => {
    const second = new OddModel();
    const store = await open(both(second));
    await store.write('ann', 'two puppies sleep');
    await expect.poll(() => store.found('ann', 'invoice')).toEqual(['two puppies sleep']);
    await store.storage.upkeep.beginVectorRebuild();
    await expect.poll(() => second.texts.length).toBe(2);
    await expect.poll(() => store.spaces()).toEqual(servingBoth);
    expect(await store.found('ann', 'invoice')).toEqual(['two puppies sleep']);
  });

  it('a store of the second model alone becomes one of both, and searches are answered throughout', async () => {
    const encoder = new OddModel();
    const first = await open({ ...loadBundled(), embedder: encoder });
    await first.write('ann', 'two puppies sleep');
    await expect.poll(() => first.found('ann', 'invoice')).toEqual(['two puppies sleep']);
    await close(first);
    const store = await open(both(encoder), first.database);
    expect(await store.found('ann', 'invoice')).toEqual(['two puppies sleep']);
    await expect.poll(async () => (await store.spaces()).sort()).toEqual([...servingBoth].sort());
    expect(await store.found('ann', 'invoice')).toEqual(['two puppies sleep']);
  });

  it('an error of the second model that is no failure of embedding is not passed over', async () => {
    const second = new OddModel();
    const store = await open(both(second));
    await store.write('ann', 'two puppies sleep');
    await expect.poll(() => store.found('ann', 'invoice')).toEqual(['two puppies sleep']);
    second.embed = async () => {
      throw new TypeError('a fault of ours');
    };
    await expect(store.found('ann', 'cats')).rejects.toThrow('a fault of ours');
  });
});
