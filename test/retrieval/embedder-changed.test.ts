import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/load.ts';
import { createServices, openStorage } from '../../src/container.ts';
import { engines, newDatabase } from '../support/database.ts';

describe.each(engines)('a store whose embedder is changed on %s', (engine) => {
  it('gets the vectors it lacks in the background, and loses those that nobody asks for', async () => {
    const database = await newDatabase(engine);
    const open = async (embedder: string) => {
      const config = parseConfig({ MEMORYD_DATABASE_URL: database.url, MEMORYD_EMBEDDER: embedder });
      const storage = await openStorage(config, { exclusive: true });
      const services = createServices(config, storage);
      const close = async () => {
        await services.keys.close();
        await storage.close();
      };
      return { storage, services, close };
    };
    const request = {
      query: 'pets',
      method: 'semantic',
      mode: 'unified',
      temporalMode: 'current',
      includeExpired: false,
      threshold: 0.3,
      vectorWeight: 0.7,
      fulltextWeight: 0.3,
      limit: 10,
      offset: 0,
      filter: { includeSuperseded: false },
      sortBy: 'relevance',
      order: 'desc',
      context: true,
      explain: false,
      includeFacets: false,
    } as const;

    const without = await open('none');
    const user = await without.storage.users.insert({ publicId: 'p', name: 'ann', email: 'a@b', at: 1 });
    await without.services.memories.create(user, { content: 'two puppies sleep' }, { conversationId: 'NEW' });
    const found = async ({ services }: Awaited<ReturnType<typeof open>>) =>
      (await services.search.search(user, request)).hits.map(({ memory }) => memory.content);
    expect(await found(without)).toEqual([]);
    await without.close();

    const withStatic = await open('static');
    withStatic.storage.upkeep.start();
    await expect.poll(() => found(withStatic)).toEqual(['two puppies sleep']);
    await expect.poll(async () => (await withStatic.storage.upkeep.rebuildStatus()).state).toBe('idle');
    await withStatic.services.memories.create(user, { content: 'a kitten' }, { conversationId: 'NEW' });
    expect((await found(withStatic)).sort()).toEqual(['a kitten', 'two puppies sleep']);
    await withStatic.close();

    const again = await open('none');
    again.storage.upkeep.start();
    await expect.poll(async () => (await again.storage.upkeep.rebuildStatus()).state).toBe('idle');
    expect(await found(again)).toEqual([]);
    await again.close();
    await database.drop();
  });
});
