import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectNoSidewaysScroll, hasBrowser, type Tab, useExplorer } from './browser.ts';

const lineCount = 5000;
const hostile = '<img src=x onerror="document.title=1"> and \u202E <script>1</script>';

interface Imports {
  readonly data: readonly { id: string; source: string; created: number; refused: number }[];
  readonly pagination: { readonly count: number };
}

/** Drops a file on the view, as a hand does; the browser makes its lines. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([name, text]) => {
      const data = new DataTransfer();
      data.items.add(new File([text ?? ''], name ?? '', { lastModified: 1_700_000_000_000 }));
      return data;
    },
    [name, text],
  );
  await page.locator('.drop').dispatchEvent('drop', { dataTransfer: transfer });
}

const linesOf = (count: number, about: string) =>
  Array.from({ length: count }, (_, i) => JSON.stringify({ content: `${about} number ${i}.` }));

describe.skipIf(!hasBrowser)('import by drop', () => {
  const explorer = useExplorer();
  let tab: Tab;
  const stored = async () => {
    const { body } = await explorer.call<Imports>('GET', '/api/memories?limit=1');
    return body.pagination.count;
  };
  const imports = async () => (await explorer.call<Imports>('GET', '/api/imports')).body;
  const start = () => tab.page.getByRole('button', { name: 'Import this file' }).click();
  const phase = (name: string) => tab.page.locator(`[data-phase="${name}"]`).waitFor({ timeout: 120_000 });
  const counted = async (name: string) =>
    Number(await tab.page.locator(`[data-${name}]`).getAttribute(`data-${name}`));
  /** But for a lost response, and a restore that takes longer than a response may. */
  const unexpected = () => tab.faults.filter((fault) => !/net::ERR_FAILED|status of 503/.test(fault));
  const close = () => tab.page.getByRole('button', { name: 'Close', exact: true }).click();

  beforeAll(async () => {
    tab = await explorer.newTab();
    await explorer.open(tab, 'import');
  });

  it('shows the first memories, and what becomes of their fields, before it sends anything', async () => {
    const { page } = tab;
    await page.getByText('Nothing was imported yet.').waitFor();
    await expectAccessible(page);
    const lines = [
      JSON.stringify({ content: hostile, eventTime: '2024-05-01', '<b>tags</b>': ['x'] }),
      '{"content": ',
      ...linesOf(20, 'The tide'),
    ];
    await drop(page, '<i>notes</i>.jsonl', lines.join('\n'));
    await page.getByText('<img src=x').first().waitFor();
    expect(await page.locator('[data-preview]').count()).toBe(10);
    await page.locator('[data-field="eventTime"]').getByText('time of the event').waitFor();
    await page.locator('[data-field="<b>tags</b>"]').getByText('left out').waitFor();
    expect(await page.title()).not.toBe('1');
    await expectAccessible(page);
    expect((await imports()).pagination.count).toBe(0);
    await close();
    await drop(page, 'table.csv', 'a;b\n1;2\n');
    await page.getByText('The layout of this file is unknown').waitFor();
    expect(await page.getByRole('button', { name: 'Import this file' }).count()).toBe(0);
    await close();
    expect(tab.faults).toEqual([]);
  });

  it(`stores ${lineCount} lines exactly, with a pause, and a reload in the middle after which the file is dropped again`, async () => {
    const { page } = tab;
    const text = linesOf(lineCount, 'The harbour').join('\n');
    let sent = 0;
    await page.route('**/api/memories/bulk*', async (route) => {
      // The middle is long enough to be met.
      if (++sent === 8) await page.getByRole('button', { name: 'Pause' }).click();
      await route.continue();
    });
    await drop(page, 'harbour.jsonl', text);
    await start();
    await phase('paused');
    await expect.poll(() => counted('items')).toBe(1600);
    const sentBefore = sent;
    await page.getByText('Paused.').waitFor();
    expect(sent).toBe(sentBefore);
    await page.getByRole('button', { name: 'Go on' }).click();
    await expect.poll(() => counted('items')).toBeGreaterThan(2000);
    await page.reload();
    await page.unroute('**/api/memories/bulk*');
    const before = await stored();
    expect(before).toBeGreaterThan(1600);
    expect(before).toBeLessThan(lineCount);
    await drop(page, 'harbour.jsonl', text);
    await start();
    await phase('done');
    expect(await stored()).toBe(lineCount);
    expect((await counted('created')) + (await counted('existing'))).toBe(lineCount);
    expect(await counted('existing')).toBeGreaterThanOrEqual(before - 200);
    const { data } = await imports();
    expect(data.map(({ source, created }) => [source, created])).toEqual([['harbour.jsonl', lineCount]]);
    await expectAccessible(page);
    expect(tab.faults).toEqual([]);
  }, 300_000);

  it('takes the import back, and brings it back', async () => {
    const { page } = tab;
    const row = page.locator('[data-import]').first();
    await page.getByText(`Imported`).first().waitFor();
    await page
      .getByRole('region', { name: 'harbour.jsonl' })
      .getByRole('button', { name: 'Undo this import' })
      .click();
    await page.getByText('all that it stored is in the trash').waitFor({ timeout: 120_000 });
    expect(await stored()).toBe(0);
    await row.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('All that the import stored is back.').waitFor({ timeout: 300_000 });
    expect(await stored()).toBe(lineCount);
    expect(unexpected()).toEqual([]);
  }, 400_000);

  it('names broken lines and stores the others, also of a list, once for all drops', async () => {
    const { page } = tab;
    const before = await stored();
    const lines = linesOf(300, 'The pilot');
    lines[16] = '{"content": "broken';
    lines[250] = '{"content": ""}';
    lines.push(...Array.from({ length: 30 }, () => '[]'));
    let sent = 0;
    await page.route('**/api/memories/bulk*', async (route) => {
      if (sent++ > 0) return route.continue();
      // The service stores them, and its response is lost.
      await route.fetch();
      await route.abort();
    });
    await drop(page, 'pilot.jsonl', lines.join('\n'));
    await start();
    await phase('done');
    await page.unroute('**/api/memories/bulk*');
    expect([sent, await counted('created'), await counted('existing')]).toEqual([3, 298, 0]);
    await page.locator('[data-line="17"]').getByText('it is not JSON').waitFor();
    await page.locator('[data-line="251"]').getByText('content').waitFor();
    await page.getByText('and 12 more').waitFor();
    expect(await page.locator('[data-line]').count()).toBe(20);
    expect(await stored()).toBe(before + 298);
    await expectAccessible(page);
    // The bar takes the import back by its key, too.
    await page.getByText('298 memories stored').waitFor();
    await page.keyboard.press('z');
    await expect.poll(stored).toBe(before);
    await page.getByText('Undone.').waitFor();
    // As `POST /api/memories/export` writes them.
    const exported = { memoryType: 'episodic', conversationId: 'conv_old' };
    const list = JSON.stringify([
      { ...exported, id: 'x', content: hostile, createdAt: '2024-01-01T00:00:00Z' },
      { ...exported, id: 'y', content: 'The second one.' },
    ]);
    for (const [created, existing] of [
      [2, 0],
      [0, 2],
    ]) {
      await page.getByLabel('Or choose a file').setInputFiles({
        name: 'export.json',
        mimeType: 'application/json',
        buffer: Buffer.from(list),
      });
      await start();
      await phase('done');
      expect([await counted('created'), await counted('existing')]).toEqual([created, existing]);
      await close();
    }
    const { body } = await explorer.call<{ data: { title: string; memoryCount: number }[] }>(
      'GET',
      '/api/conversations',
    );
    const made = body.data.filter(({ title }) => title === 'Import of conv_old');
    expect(made.map(({ memoryCount }) => memoryCount)).toEqual([2]);
    expect(unexpected()).toEqual([]);
  });

  it('counts what the file changed, and what was edited here and stays; undo takes the change back', async () => {
    const { page } = tab;
    const records = (said: string) =>
      ['lock', 'gate']
        .map((id) => JSON.stringify({ content: `The ${id} ${said}.`, externalId: id }))
        .join('\n');
    const send = async (name: string, text: string) => {
      await drop(page, name, text);
      await start();
      await phase('done');
    };
    const said = async (id: string) =>
      (
        await explorer.call<{ data: { id: string; content: string }[] }>(
          'GET',
          `/api/memories?externalId=${id}`,
        )
      ).body.data[0];
    await send('locks.jsonl', records('is new'));
    await close();
    const gate = await said('gate');
    await explorer.call('PUT', `/api/memories/${gate.id}`, { content: 'The gate is ours.' });
    await send('locks-again.jsonl', records('is old'));
    expect([await counted('created'), await counted('updated'), await counted('existing')]).toEqual([
      0, 1, 0,
    ]);
    await page.locator('.flow').getByText('1 edited here').waitFor();
    expect([(await said('lock')).content, (await said('gate')).content]).toEqual([
      'The lock is old.',
      'The gate is ours.',
    ]);
    await page
      .getByRole('region', { name: 'locks-again.jsonl' })
      .getByRole('button', { name: 'Undo this import' })
      .click();
    await expect.poll(async () => (await said('lock')).content).toBe('The lock is new.');
  });

  it('has no button for a key that may only read, and fits a narrow dark window', async () => {
    const narrow = await explorer.newTab({ viewport: { width: 390, height: 700 }, colorScheme: 'dark' });
    await explorer.open(narrow, 'import', await explorer.newKey(['read']));
    await narrow.page.locator('[data-import]').first().waitFor();
    await narrow.page.getByText('Your key may only read').waitFor();
    expect(await narrow.page.locator('main').getByRole('button').count()).toBe(0);
    expect(await narrow.page.locator('main input[type=file]').count()).toBe(0);
    await expectAccessible(narrow.page);
    await narrow.page.evaluate(() => sessionStorage.clear());
    await narrow.page.goto('about:blank');
    await explorer.open(narrow, 'import', await explorer.newKey(['read', 'write']));
    await drop(
      narrow.page,
      `${'long'.repeat(60)}.jsonl`,
      JSON.stringify({ content: 'x'.repeat(500), y: 'z'.repeat(500) }),
    );
    await narrow.page.locator('[data-preview]').first().waitFor();
    await expectNoSidewaysScroll(narrow.page);
    await expectAccessible(narrow.page);
    expect(narrow.faults).toEqual([]);
    await narrow.context.close();
  });
});
