import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type AppFixture, newAppFixture } from './app-fixture.ts';
import type { Engine } from './database.ts';
import type { Client } from './http-client.ts';
import { onceMade } from './once-made.ts';

/** The app over an empty store for all tests of a `describe`: there once their hooks run, closed after them. */
export function useApp(engine: Engine, settings?: Readonly<Record<string, string>>): AppFixture {
  let app: AppFixture | undefined;
  beforeAll(async () => {
    app = await newAppFixture(engine, settings);
  });
  afterAll(() => app?.close());
  return onceMade(() => app);
}

/** A client of a new user for each test. */
export function useClient(app: AppFixture): Client {
  let http: Client | undefined;
  beforeEach(async () => {
    http = await app.newClient();
  });
  return onceMade(() => http);
}
