/**
 * The explorer over many memories: time from opening a view, or from Enter in the query bar, to its first rows, beyond
 * what the API itself took for the same requests in the same run; and the longest task while a person types. Static
 * model, nothing derived. Bars of docs/explorer.md: 1 s beyond the API, no task over 100 ms.
 */
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { randomFrom } from '../test/support/random.ts';
import { newDatabase, type Server, startServer } from '../test/support/server.ts';
import { generateText } from './http/corpus.ts';
import { englishWords } from './http/english-words.ts';
import { median } from './http/quantiles.ts';
import { describeEnvironment } from './report/environment.ts';
import { toTable } from './report/table.ts';
import { writeResult } from './report/write-result.ts';

const usage =
  'npm run bench explorer -- [--memories N] [--rounds N] [--chromium PATH] [--check] [--out FILE]';
const bulkSize = 1000;
const dayMs = 86_400_000;
const targets = { beyondApiMs: 1000, taskMs: 100 };
const typed = 'what did we decide about the harbour lights';

interface Opened {
  readonly view: string;
  /** Medians, ms. */
  readonly page: number;
  readonly api: number;
}

async function fill(server: Server, memories: number): Promise<void> {
  const random = randomFrom(7);
  const words = englishWords();
  const from = Date.UTC(2024, 0, 1);
  for (let done = 0; done < memories; done += bulkSize) {
    const body = Array.from({ length: Math.min(bulkSize, memories - done) }, (_, i) => ({
      content: generateText(random, words),
      topics: [`topic ${(done + i) % 400}`],
      eventTime: new Date(from + ((done + i) % 900) * dayMs).toISOString(),
    }));
    const response = await fetch(`${server.url}/api/memories/bulk`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ memories: body }),
    });
    if (!response.ok) throw new Error(`${response.status}: ${(await response.text()).slice(0, 300)}`);
  }
}

/** Sum of what the API took for the page's requests, asked for again one after the other. */
async function apiTime(server: Server, paths: readonly string[]): Promise<number> {
  const began = performance.now();
  for (const path of paths) {
    const response = await fetch(path, { headers: { authorization: `Bearer ${server.key}` } });
    await response.text();
  }
  return performance.now() - began;
}

async function opened(server: Server, page: Page, view: string, rounds: number): Promise<Opened> {
  const times: { page: number[]; api: number[] } = { page: [], api: [] };
  for (let round = 0; round <= rounds; round++) {
    const asked = new Set<string>();
    const note = (request: { url(): string; method(): string }) => {
      if (request.method() === 'GET' && request.url().includes('/api/') && !request.url().includes('/events'))
        asked.add(request.url());
    };
    page.on('request', note);
    const began = performance.now();
    await page.goto(`${server.url}/ui/${view}`);
    await page.locator('[data-row]').first().waitFor();
    const took = performance.now() - began;
    page.off('request', note);
    const api = await apiTime(server, [...asked]);
    // Round 0 only warms up.
    if (round > 0) {
      times.page.push(took);
      times.api.push(api);
    }
  }
  return { view: view === '' ? 'timeline' : view, page: median(times.page), api: median(times.api) };
}

/** ms of the longest task while `typed` is typed, 0 if none was over 50. */
async function longestTaskWhileTyping(server: Server, page: Page): Promise<number> {
  await page.goto(`${server.url}/ui/`);
  await page.locator('[data-row]').first().waitFor();
  // As texts: the types of the browser are not those of the bench.
  await page.evaluate(`
    globalThis.longest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
    }).observe({ entryTypes: ['longtask'] });
  `);
  await page.keyboard.press('/');
  await page.keyboard.type(typed, { delay: 60 });
  return page.evaluate<number>('longest');
}

async function measure(browser: Browser, server: Server, rounds: number) {
  const page = await (await browser.newContext({ viewport: { width: 1100, height: 800 } })).newPage();
  await page.goto(`${server.url}/ui/#key=${server.key}`);
  await page.waitForSelector('nav');
  const views: Opened[] = [];
  for (const view of ['', 'search?q=harbour%20lights', 'topics'])
    views.push(await opened(server, page, view, rounds));
  return { views, typingMs: await longestTaskWhileTyping(server, page) };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      memories: { type: 'string', default: '100000' },
      rounds: { type: 'string', default: '5' },
      chromium: { type: 'string', default: '/usr/bin/chromium' },
      check: { type: 'boolean', default: false },
      out: { type: 'string' },
    },
  });
  const memories = Number(values.memories);
  if (!Number.isSafeInteger(memories) || memories < 1) throw new Error(`--memories?\n${usage}`);
  const database = await newDatabase('sqlite');
  let server: Server | undefined;
  let browser: Browser | undefined;
  try {
    const env = { MEMORYD_EMBEDDER: 'static', MEMORYD_DERIVE: 'false' };
    server = await startServer({ databaseUrl: database.url, env });
    await fill(server, memories);
    browser = await chromium.launch({ executablePath: values.chromium, args: ['--no-sandbox'] });
    const { views, typingMs } = await measure(browser, server, Number(values.rounds));
    const rows = views.map(({ view, page, api }) => [
      view,
      page.toFixed(0),
      api.toFixed(0),
      `${(page - api).toFixed(0)} (target ${targets.beyondApiMs})`,
    ]);
    console.log(toTable([`view of ${memories} memories`, 'page, ms', 'API, ms', 'beyond the API, ms'], rows));
    console.log(`\nLongest task while typing: ${typingMs} ms (target ${targets.taskMs}; 0: none over 50)`);
    const environment = describeEnvironment();
    console.log(`${environment.commit}, node ${environment.node}, ${environment.measuredAt}`);
    const result = { environment, memories, views, typingMs };
    console.log(`JSON: ${writeResult('explorer', result, values.out)}`);
    const isMissed = views.some(({ page, api }) => page - api > targets.beyondApiMs);
    if (values.check && (isMissed || typingMs > targets.taskMs)) process.exitCode = 1;
  } finally {
    await browser?.close();
    await server?.stop();
    await database.drop();
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
