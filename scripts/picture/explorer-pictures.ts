/*
 * Draws the pictures of docs/explorer.md from a talk of bench/data/talks, on the built service, in Debian's Chromium:
 * npx tsx scripts/picture/explorer-pictures.ts
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { newDatabase, startServer } from '../../test/support/server.ts';

const root = new URL('../../', import.meta.url);
const images = fileURLToPath(new URL('docs/images/', root));
const talk = readFileSync(new URL('bench/data/talks/notes-1.txt', root), 'utf8');

const database = await newDatabase('sqlite');
const server = await startServer({ databaseUrl: database.url, env: { MEMORYD_EMBEDDER: 'static' } });

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' };
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return (await response.json()) as T;
}

/** Stores the notes of a talk at the times that its headings name. @returns the id of the last one */
async function load(): Promise<string> {
  let [at, conversationId, last] = ['2024-01-01T09:00', 'NEW', ''];
  for (const line of talk.split('\n')) {
    if (line.startsWith('# ')) [at, conversationId] = [line.slice(2), 'NEW'];
    if (!line.startsWith('Note: ')) continue;
    const { data } = await call<{ data: { id: string; conversationId: string } }>('POST', '/api/memories', {
      content: line.slice(6),
      conversationId,
      eventTime: `${at}:00Z`,
    });
    conversationId = data.conversationId;
    last = data.id;
  }
  return last;
}

const id = await load();
await call('PUT', `/api/memories/${id}`, {
  content: 'TODO for Q1: Hamburg offer, explain feature, reporting handed back on 8 May.',
});
const { data } = await call<{ data: { apiKey: string } }>('POST', '/api/apikeys', { expiresAt: '1h' });

mkdirSync(images, { recursive: true });
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
const tab = await browser.newPage({
  viewport: { width: 1000, height: 640 },
  locale: 'en-GB',
  timezoneId: 'UTC',
});
const shoot = async (name: string) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await tab.emulateMedia({ colorScheme });
    await tab.screenshot({ path: `${images}explorer-${name}-${colorScheme}.png` });
  }
};
await tab.goto(`${server.url}/ui/#key=${data.apiKey}`);
await tab.locator('.histogram g').first().waitFor();
await shoot('timeline');
await tab.goto(`${server.url}/ui/search?q=batch+size+of+gannet`);
await tab.locator('[data-hit] button').first().click();
await tab.locator('.why').waitFor();
await shoot('search');
await tab.goto(`${server.url}/ui/m/${id}`);
await tab.locator('.versions button').nth(1).click();
await tab.locator('.diff').waitFor();
await shoot('memory');
type Derived = { data: { jobs: unknown[] } };
const waiting = async () => (await call<Derived>('GET', '/api/system/context/status')).data.jobs;
while ((await waiting()).length > 0) await new Promise((resolve) => setTimeout(resolve, 200));
const { data: found } = await call<{ data: { id: string; name: string }[] }>(
  'GET',
  '/api/entities?query=Oskar&limit=1',
);
await tab.goto(`${server.url}/ui/graph?around=entity:${found[0]?.id}&depth=2`);
await tab.locator('[data-laid-out=true]').waitFor();
await shoot('graph');
for (const content of [
  'The nightly backup of the ledger database fails.',
  'We are still waiting to get the ledger backup fixed.',
])
  await call('POST', '/api/memories', { content, conversationId: 'NEW' });
const candidates = async () => (await call<{ data: unknown[] }>('GET', '/api/relationships')).data;
while ((await candidates()).length === 0) await new Promise((resolve) => setTimeout(resolve, 200));
await tab.goto(`${server.url}/ui/review?all=1`);
await tab.getByRole('article').waitFor();
await shoot('review');
await browser.close();
await server.stop();
await database.drop();
