import type { Environment } from '../../src/config/load.ts';
import { createServices, openStorage } from '../../src/container.ts';
import { type EmbeddingModels, loadBundled } from '../../src/embedding/load-models.ts';
import { type SearchRequest, searchDefaults } from '../../src/search/request.ts';
import type { TestDatabase } from './database.ts';
import { testConfig } from './test-config.ts';

export const semanticRequest: Omit<SearchRequest, 'query'> = {
  ...searchDefaults,
  method: 'semantic',
  threshold: 0.3,
  limit: 50,
};

export type EmbeddingFixture = Awaited<ReturnType<typeof openWith>>;

/** The services over a store as a process opens them whose embedder is this one; upkeep runs unless told otherwise. */
export async function openWith(
  database: TestDatabase,
  models: EmbeddingModels | 'static' | 'none',
  { serving = true, settings = {} }: { readonly serving?: boolean; readonly settings?: Environment } = {},
) {
  const config = testConfig({
    MEMORYD_DATABASE_URL: database.url,
    MEMORYD_EMBEDDER: models === 'none' ? 'none' : 'static',
    ...settings,
  });
  const own = typeof models === 'string' ? undefined : models;
  const storage = await openStorage(config, { exclusive: true, models: own });
  const services = createServices(config, storage, undefined, { models: own });
  if (serving) services.jobs.start();
  const user = async (name: string) =>
    (await storage.users.findByName(name)) ??
    storage.users.insert({ publicId: name, name, email: `${name}@example.test`, at: 1 });
  return {
    storage,
    services,
    user,
    write: async (name: string, content: string) =>
      (await services.memories.create(await user(name), { content }, { conversationId: 'NEW' })).memory,
    /** Contents found by meaning. */
    found: async (name: string, query: string, more: Partial<SearchRequest> = {}) => {
      const response = await services.search.search(await user(name), { ...semanticRequest, ...more, query });
      return response.hits.map(({ memory }) => memory.content);
    },
    /** `model state waiting failed` of each space. */
    spaces: async () =>
      (await storage.embedding.spaces()).map(
        ({ model, state, waiting, failed }) => `${model} ${state} ${waiting} ${failed}`,
      ),
    close: async () => {
      await services.close();
      await storage.close();
    },
  };
}

export const bundledModelName = loadBundled().bundled.space.model;
