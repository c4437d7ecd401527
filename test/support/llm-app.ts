import { afterAll, afterEach, beforeAll } from 'vitest';
import { type AppFixture, newAppFixture } from './app-fixture.ts';
import type { Engine } from './database.ts';
import type { Client } from './http-client.ts';
import { type LlmServer, startLlmServer } from './llm-server.ts';

export interface LlmApp {
  readonly llm: LlmServer;
  /** A service that asks the stand-in, and a client of a new user; closed after the test. */
  start(
    settings?: Record<string, string>,
    on?: Engine,
  ): Promise<{ readonly app: AppFixture; readonly http: Client }>;
}

/** A stand-in of an LLM for the tests of a `describe`, which forgets after each what it was told to answer. */
export function useLlmApp(engine: Engine): LlmApp {
  let server: LlmServer | undefined;
  let app: AppFixture | undefined;
  const running = () => {
    if (!server) throw new Error('The stand-in of the LLM runs only within tests.');
    return server;
  };
  beforeAll(async () => {
    server = await startLlmServer();
  });
  afterAll(() => server?.close());
  afterEach(async () => {
    await app?.close();
    app = undefined;
    server?.next();
  });
  return {
    get llm() {
      return running();
    },
    async start(settings = {}, on = engine) {
      const url = { MEMORYD_LLM_URL: running().url, MEMORYD_LLM_MODEL: 'stand-in' };
      app = await newAppFixture(on, { MEMORYD_LLM: 'openai', ...url, ...settings }, { retryMs: [1, 1] });
      return { app, http: await app.newClient() };
    },
  };
}
