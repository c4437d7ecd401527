import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { createServices, openStorage, type ServiceOptions, type Services } from '../../src/container.ts';
import type { KeyScope } from '../../src/domain/api-keys/api-key.ts';
import { buildApp } from '../../src/http/app.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { StorageEngine } from '../../src/storage/engine.ts';
import { type Engine, newDatabase } from './database.ts';
import { type Client, client } from './http-client.ts';
import { testConfig } from './test-config.ts';

/** The real app over an empty store, listening on a free port of 127.0.0.1. */
export interface AppFixture {
  readonly url: string;
  /** What `MEMORYD_DATABASE_URL` says. */
  readonly databaseUrl: string;
  /** What the app calls, for tests that make a part of it slow or fail. */
  readonly services: Services;
  /** The store below the app. */
  readonly storage: StorageEngine;
  /** What listens, for tests that watch connections. */
  readonly server: Server;
  /** Every line that was logged. */
  readonly log: readonly string[];
  /** A client of a user made for it. */
  newClient(scopes?: readonly KeyScope[]): Promise<Client>;
  /** Begins the work in the background: what waits to be embedded, changes of model. */
  startUpkeep(): void;
  /** Stops the app as the service stops it; the store stays open. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

export async function newAppFixture(
  engine: Engine,
  settings: Readonly<Record<string, string>> = {},
  /** Steps of the test's own, or what they derive with, and its own time. */
  {
    clock,
    ...steps
  }: Pick<ServiceOptions, 'steps' | 'retryMs' | 'texts' | 'fetchDocument'> & { readonly clock?: Clock } = {},
): Promise<AppFixture> {
  const database = await newDatabase(engine);
  // Tests share the process and the machine: its lag says nothing of what is tested.
  const config = testConfig({
    MEMORYD_DATABASE_URL: database.url,
    MEMORYD_LOG_LEVEL: 'silent',
    MEMORYD_EVENT_LOOP_DELAY_MAX_MS: '60000',
    ...settings,
  });
  const storage = await openStorage(config, { exclusive: true, ...steps });
  const services = createServices(config, storage, clock, steps);
  const log: string[] = [];
  const app = await buildApp(services, config, {
    write: (line) => log.push(line),
    flush: () => undefined,
    dropped: 0,
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    url,
    databaseUrl: database.url,
    services,
    storage,
    server: app.server,
    log,
    startUpkeep: () => services.jobs.start(),
    stop: () => app.close(),
    newClient: async (scopes) => {
      const name = `user-${randomUUID()}`;
      const user = await storage.users.insert({
        publicId: randomUUID(),
        name,
        email: `${name}@example.test`,
        at: 1,
      });
      const { apiKey } = await services.keys.create(user, { label: 'test', scopes });
      return client(url, apiKey);
    },
    close: async () => {
      await app.close();
      await services.close();
      await storage.close();
      await database.drop();
    },
  };
}
