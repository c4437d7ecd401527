import { beforeAll, describe, expect, it } from 'vitest';
import { poll } from '../support/poll.ts';
import { expectAccessible, expectNoSidewaysScroll, hasBrowser, type Tab, useExplorer } from './browser.ts';

const hostile = '<img src=x onerror="document.title=1"> The tide [7] of \u202Eharbour <script>1</script>.';

interface Patterns {
  readonly data: readonly { id: string; active: boolean; confidence: number; feedback: object }[];
}

describe.skipIf(!hasBrowser)('the briefing', () => {
  const explorer = useExplorer();
  let tab: Tab;
  const patterns = async () => (await explorer.call<Patterns>('GET', '/api/patterns')).body.data;
  const show = (query: string) => tab.page.goto(`${explorer.url}/ui/briefing?${query}`);
  const answer = () => tab.page.getByRole('region', { name: 'What the agent gets' });
  const tokens = async () => {
    const shown = tab.page.locator('[data-tokens]');
    await shown.waitFor();
    return Number(await shown.getAttribute('data-tokens'));
  };
  /** Each source that is shown opens its memory. */
  const expectSourcesOpen = async () => {
    const links = answer().locator('[data-source]');
    await links.first().waitFor();
    const ids = await links.evaluateAll((all) => all.map((link) => link.getAttribute('data-source') ?? ''));
    for (const id of new Set(ids)) {
      const { body } = await explorer.call<{ data: { content: string } }>('GET', `/api/memories/${id}`);
      await tab.page.locator(`[data-source="${id}"]`).first().click();
      await tab.page.getByRole('article').or(tab.page.locator('.content')).first().waitFor();
      expect(tab.page.url()).toContain(`/ui/m/${id}`);
      await tab.page.getByText(body.data.content.slice(0, 20)).first().waitFor();
      await tab.page.goBack();
      await links.first().waitFor();
    }
    expect(ids.length).toBeGreaterThan(0);
  };

  beforeAll(async () => {
    for (let i = 0; i < 12; i++)
      await explorer.remember(`The tide of harbour number ${i} turns at ${i} o'clock, says the pilot.`);
    await explorer.remember('Never sail from the harbour at low tide.');
    await explorer.remember(hostile);
    await poll('the rule is read', async () => (await patterns()).length > 0 || undefined);
    tab = await explorer.newTab();
    await explorer.open(tab, 'briefing');
  });

  it('shows a digest within its tokens, each sentence with a source that opens, and what was cut', async () => {
    const { page } = tab;
    await page.getByLabel('What is it about?').fill('the tide of the harbour');
    await page.getByLabel('Tokens at most').fill('120');
    await page.getByRole('button', { name: 'Show' }).click();
    expect(await tokens()).toBeLessThanOrEqual(120);
    expect(await tokens()).toBeGreaterThan(20);
    expect(page.url()).toContain('budget=120');
    await answer().getByText('for the tokens').waitFor();
    await expectAccessible(page);
    await expectSourcesOpen();
    expect(tab.faults).toEqual([]);
  });

  it('shows a context and instructions within their tokens, with sources', async () => {
    await show('kind=context&q=sail+out+at+low+tide&budget=400');
    expect(await tokens()).toBeLessThanOrEqual(400);
    await expectSourcesOpen();
    await show('kind=instructions&q=sail+from+the+harbour&budget=100');
    expect(await tokens()).toBeLessThanOrEqual(100);
    await answer().getByText('Never sail from the harbour').first().waitFor();
    await expectSourcesOpen();
    await expectAccessible(tab.page);
    expect(tab.faults).toEqual([]);
  });

  it('stops a stream, and starts it again', async () => {
    const { page } = tab;
    let asked = 0;
    await page.route('**/api/memories/digest/stream', async (route) => {
      // The first one takes as long as the person lets it.
      if (asked++ > 0) await route.continue();
    });
    await show('kind=digest&q=tide');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped').waitFor();
    expect(await page.locator('[data-tokens]').count()).toBe(0);
    await page.getByRole('button', { name: 'Start again' }).click();
    expect(await tokens()).toBeGreaterThan(0);
    expect(asked).toBe(2);
    await page.unroute('**/api/memories/digest/stream');
    expect(tab.faults.filter((fault) => !fault.includes('net::ERR'))).toEqual([]);
  });

  it('switches a pattern off and on, and takes feedback back', async () => {
    const { page } = tab;
    await show('kind=patterns');
    const row = page.locator('[data-pattern]').first();
    await row.waitFor();
    await expectAccessible(page);
    const [before] = await patterns();
    await row.getByRole('button', { name: 'Switch off' }).click();
    await page.getByText('The pattern gives no instructions.').waitFor();
    expect((await patterns())[0].active).toBe(false);
    await page.keyboard.press('z');
    await row.getByRole('button', { name: 'Switch off' }).waitFor();
    await row.getByRole('button', { name: 'Wrong' }).click();
    await expect.poll(async () => (await patterns())[0].feedback).toEqual({ positive: 0, negative: 1 });
    await page.getByText('Noted').waitFor();
    await page.keyboard.press('z');
    await expect.poll(async () => (await patterns())[0].feedback).toEqual(before.feedback);
    const [after] = await patterns();
    expect([after.active, after.confidence]).toEqual([before.active, before.confidence]);
  });

  it('shows hostile texts as texts to a key that may only read, in a narrow dark window', async () => {
    const narrow = await explorer.newTab({ viewport: { width: 390, height: 700 }, colorScheme: 'dark' });
    const query = 'briefing?kind=digest&q=tide+of+harbour+script&budget=3000';
    await explorer.open(narrow, query, await explorer.newKey(['read']));
    await narrow.page.getByText('<img src=x').first().waitFor();
    expect(await narrow.page.title()).not.toBe('1');
    await expectNoSidewaysScroll(narrow.page);
    await expectAccessible(narrow.page);
    await narrow.page.goto(`${explorer.url}/ui/briefing?kind=patterns`);
    await narrow.page.locator('[data-pattern]').first().waitFor();
    expect(await narrow.page.getByRole('button', { name: 'Switch off' }).count()).toBe(0);
    await expectNoSidewaysScroll(narrow.page);
    await expectAccessible(narrow.page);
    expect(narrow.faults).toEqual([]);
    await narrow.context.close();
  });
});
