import { beforeAll, describe, expect, it } from 'vitest';
import { poll } from '../support/poll.ts';
import { expectAccessible, expectNoSidewaysScroll, hasBrowser, type Tab, useExplorer } from './browser.ts';

interface Graph {
  readonly data: {
    readonly nodes: readonly { readonly kind: string; readonly id: string; readonly hidden: number }[];
    readonly edges: readonly unknown[];
  };
}

const hostile = '<img src=x onerror=alert(1)> \u202egnp.exe \u200b<script>alert(1)</script>';

describe.skipIf(!hasBrowser)('the graph of the explorer', () => {
  const explorer = useExplorer();
  let tab: Tab;
  let first: string;

  beforeAll(async () => {
    const old = await explorer.remember('The gate code is 1111.', {
      topics: ['gate'],
      eventTime: '2026-01-02T00:00:00Z',
    });
    const later = await explorer.remember('The gate code is 2222.', {
      topics: ['gate'],
      eventTime: '2026-03-04T00:00:00Z',
    });
    first = old.id ?? '';
    await explorer.call('POST', `/api/memories/${later.id}/relationships`, {
      targetMemoryId: first,
      type: 'SUPERSEDES',
    });
    await explorer.remember(hostile, { topics: ['gate', hostile.slice(0, 60)] });
    for (let i = 0; i < 200; i++)
      await explorer.remember(`Crate ${i} stands in hall ${i % 40}.`, {
        topics: ['harbour', `row ${i % 60}`, `bay ${i % 50}`],
      });
    // What is derived would change the graph between two looks.
    await poll(
      'everything is derived',
      async () => {
        const { body } = await explorer.call<{ pendingExtractions: number }>(
          'GET',
          '/api/system/context/status',
        );
        return body.data.jobs.length === 0 || undefined;
      },
      100_000,
    );
    tab = await explorer.newTab();
    await explorer.open(tab, 'graph');
  }, 120_000);

  const show = async (query: string, to = tab) => {
    await to.page.goto(`${explorer.url}/ui/graph${query}`);
    await to.page.locator('[data-laid-out=true], table').first().waitFor();
  };
  const graph = async (query: string) => (await explorer.call<Graph>('GET', `/api/graph${query}`)).body.data;
  const nodes = ({ page }: Tab) => page.locator('[data-node]');

  it('the picture and the tables have the nodes and links of the service, and the address holds which is shown', async () => {
    const { page } = tab;
    const query = '?around=topic%3Aharbour&depth=2&limit=150';
    const expected = await graph(query);
    await show(query);
    expect(await nodes(tab).count()).toBe(expected.nodes.length);
    expect(await page.locator('.drawing line').count()).toBe(expected.edges.length);
    await page.keyboard.press('t');
    await page.locator('table[data-nodes]').waitFor();
    expect(page.url()).toContain('table=1');
    await page.reload();
    await page.locator('table[data-nodes]').waitFor();
    expect(await page.locator('table[data-nodes] tbody tr').count()).toBe(expected.nodes.length);
    expect(await page.locator('table[data-edges] tbody tr').count()).toBe(expected.edges.length);
    await expectAccessible(page);
    expect(tab.faults).toEqual([]);
  });

  it('Tab and the arrows reach every node by its name, and Enter opens it', async () => {
    const { page } = tab;
    await show('?around=topic%3Agate');
    const names = await nodes(tab).evaluateAll((all) => all.map((node) => node.getAttribute('aria-label')));
    expect(names.length).toBeGreaterThan(3);
    await page.getByRole('button', { name: 'Tables' }).focus();
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    for (let presses = 0; presses < 6 && (await focused()) !== names[0]; presses++)
      await page.keyboard.press('Tab');
    const reached = [await focused()];
    for (let i = 1; i < names.length; i++) {
      await page.keyboard.press('ArrowRight');
      reached.push(await focused());
    }
    expect(reached).toEqual(names);
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    const memory = await page.evaluate(() => document.activeElement?.getAttribute('data-node'));
    expect(memory).toMatch(/^memory:/);
    await page.keyboard.press('Enter');
    await page.locator('#memory-title').waitFor();
    expect(page.url()).toContain(`/ui/m/${memory?.slice('memory:'.length)}`);
    await page.getByRole('link', { name: 'Graph', exact: true }).last().click();
    await page.locator('[data-laid-out=true]').waitFor();
    expect(await nodes(tab).first().getAttribute('data-node')).toBe(memory);
    await expectAccessible(page);
  });

  it('what is hidden around a node is counted at it, and a click shows it', async () => {
    const { page } = tab;
    await show('?around=topic%3Agate');
    const badge = page.locator('.badge').first();
    const node = await badge.locator('xpath=../..').locator('[data-node]').getAttribute('data-node');
    const { hidden } = (await graph('?around=topic%3Agate')).nodes.find(
      ({ kind, id }) => `${kind}:${id}` === node,
    ) ?? { hidden: 0 };
    expect(await badge.textContent()).toBe(`+${hidden}`);
    await badge.dispatchEvent('click');
    await poll(
      'its graph',
      async () => (await nodes(tab).first().getAttribute('data-node')) === node || undefined,
    );
    expect(await nodes(tab).count()).toBeGreaterThan(hidden);
  });

  it('communities are nodes sized by their topics; one opens to its topics, and with t the same is a table', async () => {
    const { page } = tab;
    await page.goto(`${explorer.url}/ui/graph`);
    await page.getByRole('link', { name: 'Communities of topics' }).click();
    await page.getByRole('button', { name: 'Find communities now' }).click();
    await page.locator('[data-node^="community:"]').first().waitFor();
    const { body } = await explorer.call<{ data: { id: string; topicCount: number }[] }>(
      'GET',
      '/api/topics/communities?limit=100',
    );
    const [largest] = body.data;
    expect(await nodes(tab).count()).toBe(body.data.length);
    await expectAccessible(page);
    await nodes(tab).first().focus();
    await page.keyboard.press('Enter');
    await page.locator('[data-node^="topic:"]').first().waitFor();
    expect(page.url()).toContain(largest?.id ?? 'no community');
    expect(await nodes(tab).count()).toBe(Math.min(150, (largest?.topicCount ?? 0) + 1));
    await page.keyboard.press('t');
    await page.locator('table[data-nodes]').waitFor();
    expect(await page.locator('table[data-nodes] tbody tr').count()).toBe(
      Math.min(150, (largest?.topicCount ?? 0) + 1),
    );
    expect(tab.faults).toEqual([]);
  });

  it('the time fades what did not hold then', async () => {
    const { page } = tab;
    await show('?around=topic%3Agate&at=2026-01-10');
    const classOf = (key: string) =>
      page.locator('.node', { has: page.locator(`[data-node="${key}"]`) }).getAttribute('class');
    const later = (await graph('?around=topic%3Agate')).nodes.filter(
      ({ kind, id }) => kind === 'memory' && id !== first,
    );
    expect(await classOf(`memory:${first}`)).not.toContain('faded');
    for (const { id } of later) expect(await classOf(`memory:${id}`)).toContain('faded');
    await page.locator('input[type=range]').focus();
    await page.keyboard.press('End');
    await poll('now', async () => !page.url().includes('at=') || undefined);
    expect(await page.locator('.node.faded').count()).toBe(0);
    await page.keyboard.press('Home');
    await poll('the first day', async () => page.url().includes('at=2026-01-02') || undefined);
  });

  it('300 nodes are laid out in slices: no task is near as long as all of it', async () => {
    const fresh = await explorer.newTab();
    await fresh.context.addInitScript(() => {
      const long: number[] = [];
      Object.assign(window, { long });
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) long.push(duration);
      }).observe({ entryTypes: ['longtask'] });
    });
    await explorer.open(fresh);
    await fresh.page.goto(`${explorer.url}/ui/graph?around=topic%3Aharbour&depth=2&limit=300`);
    await fresh.page.locator('[data-laid-out=true]').waitFor();
    expect(await nodes(fresh).count()).toBe(300);
    const { slices, long } = await fresh.page.evaluate(() => ({
      slices: performance.getEntriesByName('memoryd graph layout').map(({ duration }) => duration),
      long: (window as never as { long: number[] }).long,
    }));
    const whole = slices.reduce((sum, duration) => sum + duration, 0);
    console.info(
      `layout of 300: ${whole.toFixed(0)} ms in ${slices.length} slices, the longest ${Math.max(...slices).toFixed(0)}; long tasks ${long.map((ms) => ms.toFixed(0)).join(', ')}`,
    );
    expect(slices.length).toBeGreaterThan(10);
    expect(Math.max(...slices)).toBeLessThan(whole / 4);
    expect(Math.max(0, ...long)).toBeLessThan(whole);
    expect(fresh.faults).toEqual([]);
  });

  it('hostile texts are shown as texts, also in the saved picture', async () => {
    const { page } = tab;
    await show('?around=topic%3Agate');
    const labels = await page.locator('.node .label').allTextContents();
    expect(labels.some((label) => label.startsWith('<img src=x'))).toBe(true);
    expect(labels.join('')).not.toContain('\u202e');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as SVG' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('graph.svg');
    const chunks: Uint8Array[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Uint8Array);
    const saved = Buffer.concat(chunks).toString('utf8');
    expect(saved).toMatch(/^<svg/);
    expect(saved).toContain('&lt;img src=x');
    expect(saved).not.toMatch(/<(img|script)/);
    expect(tab.faults).toEqual([]);
  });

  it('without a centre the most mentioned people and things are suggested; g g leads there', async () => {
    const { page } = tab;
    await explorer.remember('Ana Berg met Tomasz in Voss.');
    await poll('entities', async () => {
      const { body } = await explorer.call<{ data: unknown[] }>('GET', '/api/entities?limit=1');
      return body.data.length > 0 || undefined;
    });
    await page.goto(`${explorer.url}/ui/trash`);
    await page.locator('h1').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('g');
    await page.locator('#graph-title').waitFor();
    await page.locator('main li a').first().waitFor();
    expect(await page.locator('main li').count()).toBeLessThanOrEqual(10);
    await expectAccessible(page);
    await page.locator('main li a').first().click();
    await page.locator('[data-laid-out=true]').waitFor();
    expect(page.url()).toContain('around=entity');
  });

  it('a key that only reads sees the graph, on a narrow screen and in the dark too', async () => {
    const narrow = await explorer.newTab({ viewport: { width: 390, height: 700 }, colorScheme: 'dark' });
    await explorer.open(narrow, '', await explorer.newKey(['read']));
    await show('?around=topic%3Agate', narrow);
    await expectNoSidewaysScroll(narrow.page);
    await expectAccessible(narrow.page);
    await show('?around=topic%3Agate&table=1', narrow);
    await expectNoSidewaysScroll(narrow.page);
    expect(narrow.faults).toEqual([]);
  });

  it('an unknown centre says so', async () => {
    const { page } = await explorer.newTab();
    const other = { page, context: page.context(), faults: [] };
    await explorer.open(other);
    await page.goto(`${explorer.url}/ui/graph?around=topic%3Anothing`);
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('TOPIC_NOT_FOUND');
  });
});
