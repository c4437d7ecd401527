import { describe, expect, it } from 'vitest';
import { createServices, openStorage } from '../../src/container.ts';
import { loadModels } from '../../src/embedding/load-models.ts';
import { searchDefaults } from '../../src/search/request.ts';
import { engines, newDatabase, type TestDatabase } from '../support/database.ts';
import { bundledModelName, openWith } from '../support/embedding-fixture.ts';
import { startEmbeddingServer } from '../support/embedding-server.ts';
import { runStatement } from '../support/run-statement.ts';
import { testConfig } from '../support/test-config.ts';

const dimension = 384;
/** After refusals a model is asked again within half a minute. */
const changed = { timeout: 90_000 };

/** A store configured for a model of a server. */
async function openAt(database: TestDatabase, url: string, model: string, options?: { serving: boolean }) {
  const config = testConfig({
    MEMORYD_EMBEDDER: 'openai',
    MEMORYD_EMBEDDER_URL: url,
    MEMORYD_EMBEDDER_MODEL: model,
    MEMORYD_EMBEDDER_DIMENSIONS: String(dimension),
    MEMORYD_EMBEDDER_API_KEY: `sk-of-${model}`,
  });
  const models = loadModels(config);
  const store = await openWith(database, models ?? 'none', options);
  const close = async () => {
    models?.server?.close();
    await store.close();
  };
  return { ...store, close };
}

/** Leaves a memory in a store whose model is the former one. */
async function fillAt(database: TestDatabase, url: string): Promise<void> {
  const store = await openAt(database, url, 'former');
  await store.write('ann', 'two puppies sleep');
  await expect.poll(store.spaces).toEqual(['former serving 0 0']);
  await store.close();
}

describe.each(engines)('a store whose embedder is changed on %s', (engine) => {
  it('a store whose embedder is changed gets the vectors it lacks in the background, and loses those that nobody asks for', async () => {
    const database = await newDatabase(engine);
    const open = async (embedder: string) => {
      const config = testConfig({ MEMORYD_DATABASE_URL: database.url, MEMORYD_EMBEDDER: embedder });
      const storage = await openStorage(config, { exclusive: true });
      const services = createServices(config, storage);
      const close = async () => {
        await services.close();
        await storage.close();
      };
      return { storage, services, close };
    };
    const request = {
      ...searchDefaults,
      query: 'pets',
      method: 'semantic',
      threshold: 0.3,
      limit: 10,
    } as const;

    const without = await open('none');
    const user = await without.storage.users.insert({ publicId: 'p', name: 'ann', email: 'a@b', at: 1 });
    await without.services.memories.create(user, { content: 'two puppies sleep' }, { conversationId: 'NEW' });
    const found = async ({ services }: Awaited<ReturnType<typeof open>>) =>
      (await services.search.search(user, request)).hits.map(({ memory }) => memory.content);
    expect(await found(without)).toEqual([]);
    await without.close();

    const withStatic = await open('static');
    withStatic.services.jobs.start();
    await expect.poll(() => found(withStatic)).toEqual(['two puppies sleep']);
    await expect.poll(async () => (await withStatic.storage.upkeep.rebuildStatus()).state).toBe('idle');
    await withStatic.services.memories.create(user, { content: 'a kitten' }, { conversationId: 'NEW' });
    expect((await found(withStatic)).sort()).toEqual(['a kitten', 'two puppies sleep']);
    await withStatic.close();

    const again = await open('none');
    again.services.jobs.start();
    await expect.poll(async () => (await again.storage.upkeep.rebuildStatus()).state).toBe('idle');
    expect(await found(again)).toEqual([]);
    await again.close();
    await database.drop();
  });

  it('a store whose embedder is changed is served by the server of the former model until the change is done, which gets no key of another', async () => {
    const database = await newDatabase(engine);
    const [oldServer, newServer] = [
      await startEmbeddingServer({ dimension }),
      await startEmbeddingServer({ dimension }),
    ];
    try {
      await fillAt(database, oldServer.url);

      newServer.always({ kind: 'status', status: 503 });
      const during = await openAt(database, newServer.url, 'newer');
      const asked = oldServer.requests.length;
      expect(await during.found('ann', 'dogs')).toEqual(['two puppies sleep']);
      await during.write('ann', 'a kitten purrs');
      await expect.poll(() => during.found('ann', 'cats')).toContain('a kitten purrs');
      const since = oldServer.requests.slice(asked);
      expect(since.map(({ model, authorization }) => [model, authorization])).toEqual(
        since.map(() => ['former', undefined]),
      );
      expect((await during.spaces())[0]).toBe('former serving 0 0');
      newServer.always({ kind: 'answers' });
      await expect.poll(during.spaces, changed).toEqual(['newer serving 0 0']);
      expect((await during.found('ann', 'dogs'))[0]).toBe('two puppies sleep');
      await during.close();

      const atLast = await openWith(database, 'static');
      expect((await atLast.found('ann', 'dogs'))[0]).toBe('two puppies sleep');
      await expect.poll(atLast.spaces, changed).toEqual([`${bundledModelName} serving 0 0`]);
      await atLast.close();
    } finally {
      await Promise.all([oldServer.close(), newServer.close()]);
      await database.drop();
    }
  }, 240_000);

  it('a store whose embedder is changed keeps the key for another model of the same server, wherever that has moved', async () => {
    const database = await newDatabase(engine);
    const servers = [await startEmbeddingServer({ dimension }), await startEmbeddingServer({ dimension })];
    try {
      await fillAt(database, servers[0].url);
      const moved = await openAt(database, servers[1].url, 'former');
      await expect.poll(() => moved.found('ann', 'dogs')).toEqual(['two puppies sleep']);
      await expect.poll(() => servers[1].requests.length).toBeGreaterThan(0);
      await moved.close();
      await servers[0].close();

      const during = await openAt(database, servers[1].url, 'newer', { serving: false });
      expect(await during.found('ann', 'dogs')).toEqual(['two puppies sleep']);
      const asked = servers[1].requests.findLast(({ input }) => input.includes('dogs'));
      expect(asked).toMatchObject({
        model: 'former',
        authorization: 'Bearer sk-of-newer',
      });
      await during.close();
    } finally {
      await Promise.all(servers.map((server) => server.close()));
      await database.drop();
    }
  }, 240_000);

  it.each(['measured', 'never measured'])(
    'a store whose embedder is changed is changed also where the server of the former model, %s, is gone',
    async (former) => {
      const database = await newDatabase(engine);
      const [gone, there] = [
        await startEmbeddingServer({ dimension }),
        await startEmbeddingServer({ dimension }),
      ];
      try {
        await fillAt(database, gone.url);
        await gone.close();
        if (former === 'never measured')
          await runStatement(
            { engine, url: database.url },
            'UPDATE vector_spaces SET half_similarity_at = NULL',
          );
        there.always({ kind: 'status', status: 503 });
        const during = await openAt(database, there.url, 'newer');
        await during.write('ann', 'a kitten purrs');
        await expect.poll(async () => (await during.spaces())[0]).toBe('former serving 1 0');
        there.always({ kind: 'answers' });
        await expect.poll(during.spaces, changed).toEqual(['newer serving 0 0']);
        expect((await during.found('ann', 'cats'))[0]).toBe('a kitten purrs');
        await during.close();
      } finally {
        await Promise.all([gone.close(), there.close()]);
        await database.drop();
      }
    },
    240_000,
  );
});
