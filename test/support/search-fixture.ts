import { randomUUID } from 'node:crypto';
import { createServices, openStorage } from '../../src/container.ts';
import type { User } from '../../src/domain/users/user.ts';
import type { AppServices } from '../../src/http/services.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { type SearchOutcome, type SearchRequest, searchDefaults } from '../../src/search/request.ts';
import type { StorageEngine } from '../../src/storage/engine.ts';
import { type Engine, newDatabase } from './database.ts';
import { testConfig } from './test-config.ts';

/** The services over an empty store, with short ways to write and to search. */
export interface SearchFixture {
  readonly storage: StorageEngine;
  readonly services: AppServices;
  newUser(): Promise<User>;
  /** A memory in a conversation of its own unless one is named; answers its id. */
  write(user: User, content: string, conversationId?: string): Promise<string>;
  /** Every memory judged alone and explained, unless asked otherwise. */
  search(user: User, query: string, request?: Partial<SearchRequest>): Promise<SearchOutcome>;
  /** Contents found, best first. */
  found(user: User, query: string, request?: Partial<SearchRequest>): Promise<string[]>;
  close(): Promise<void>;
}

const plain: SearchRequest = {
  ...searchDefaults,
  method: 'keyword',
  limit: 50,
  context: false,
  explain: true,
};

/** @param clock the system's unless a test moves one of its own */
export async function newSearchFixture(engine: Engine, clock?: Clock): Promise<SearchFixture> {
  const database = await newDatabase(engine);
  const config = testConfig({ MEMORYD_DATABASE_URL: database.url });
  const storage = await openStorage(config, { exclusive: true });
  const services = createServices(config, storage, clock);
  const search = (user: User, query: string, request: Partial<SearchRequest> = {}) =>
    services.search.search(user, { ...plain, query, ...request });
  return {
    storage,
    services,
    newUser: () => {
      const name = `user-${randomUUID()}`;
      return storage.users.insert({ publicId: randomUUID(), name, email: `${name}@example.test`, at: 1 });
    },
    write: async (user, content, conversationId = 'NEW') =>
      (await services.memories.create(user, { content }, { conversationId })).memory.id,
    search,
    found: async (user, query, request) =>
      (await search(user, query, request)).hits.map(({ memory }) => memory.content),
    close: async () => {
      await services.close();
      await storage.close();
      await database.drop();
    },
  };
}
