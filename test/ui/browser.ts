import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { findFreePort, newDatabase, type Server, startServer, type TestDatabase } from '../support/server.ts';

/** Debian's; nothing is downloaded. */
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Views are tested in Chromium only. Where there is none that is said aloud, and fails in CI. */
export const hasBrowser = existsSync(executablePath);
if (!hasBrowser) {
  const message = `NOT TESTED: the explorer, for there is no ${executablePath} (apt-get install chromium)`;
  if (process.env.CI) throw new Error(message);
  console.warn(message);
}

export interface Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser complained about, and requests that left the origin. */
  readonly faults: readonly string[];
}

const axeSource = () => readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * A service with the built explorer, and tabs in Chromium, for the tests of a file. @param hasConnectors the service has
 * a public address, so that clients connect by OAuth
 */
export function useExplorer({ hasConnectors = false } = {}) {
  let database: TestDatabase;
  let server: Server;
  let browser: Browser;
  const contexts: BrowserContext[] = [];
  const start = async (givenPort?: number) => {
    const port = givenPort ?? (hasConnectors ? await findFreePort() : undefined);
    const env = {
      MEMORYD_EMBEDDER: 'static',
      ...(hasConnectors && { MEMORYD_PUBLIC_URL: `http://127.0.0.1:${port}` }),
    };
    return startServer({ databaseUrl: database.url, env, port });
  };

  beforeAll(async () => {
    database = await newDatabase('sqlite');
    server = await start();
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await database?.drop();
  });

  const call = async <T = { data: Record<string, string> }>(
    method: string,
    path: string,
    body?: unknown,
    key = server.key,
  ) => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as T };
  };

  const newKey = async (scopes: readonly string[], expiresAt?: string) => {
    const made = await call<{ data: { apiKey: string } }>('POST', '/api/apikeys', { scopes, expiresAt });
    return made.body.data.apiKey;
  };

  return {
    get url() {
      return server.url;
    },
    get server() {
      return server;
    },
    /** The store behind the service. */
    get database() {
      return database;
    },
    call,
    /** For commands while the service runs. */
    get databaseUrl() {
      return database.url;
    },
    /** While `during` runs, the service is stopped; then it is there again, at the same address. */
    whileStopped: async (during: () => Promise<void>) => {
      await server.stop();
      await during();
      server = await start(Number(new URL(server.url).port));
    },
    remember: async (content: string, more: Record<string, unknown> = {}) => {
      const made = await call('POST', '/api/memories', { content, conversationId: 'NEW', ...more });
      expect(made.status, JSON.stringify(made.body)).toBe(201);
      return made.body.data;
    },
    /** A key with these scopes. */
    newKey,
    /** A tab that is not signed in. */
    newTab: async (options: Parameters<Browser['newContext']>[0] = {}): Promise<Tab> => {
      const context = await browser.newContext({ viewport: { width: 1100, height: 800 }, ...options });
      contexts.push(context);
      const page = await context.newPage();
      const faults: string[] = [];
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
      page.on('request', (request) => {
        if (!request.url().startsWith(server.url) && !request.url().startsWith('data:'))
          faults.push(request.url());
      });
      return { page, context, faults };
    },
    /** Signs in by a link, as `memoryd open` makes it, and shows a view. */
    open: async ({ page }: Tab, view = '', key?: string) => {
      const link = key ?? (await newKey(['read', 'write', 'admin'], '12h'));
      await page.goto(`${server.url}/ui/${view}#key=${link}`);
      await page.waitForSelector('nav');
    },
  };
}

/** Nothing that axe knows of is wrong, once nothing is dimmed because it is being read again. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector('.old') === null);
  await page.evaluate(axeSource());
  const violations = await page.evaluate(async () => {
    const { axe } = window as never as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`);
  });
  expect(violations).toEqual([]);
}

/** The page is not wider than its window. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const over = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(over).toBeLessThanOrEqual(0);
}
