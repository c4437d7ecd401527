import { beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectNoSidewaysScroll, hasBrowser, type Tab, useExplorer } from './browser.ts';

describe.skipIf(!hasBrowser)('the live view', () => {
  const explorer = useExplorer();
  let tab: Tab;

  beforeAll(async () => {
    tab = await explorer.newTab();
    await explorer.open(tab, 'live');
    await tab.page.locator('[data-stream=open]').waitFor();
  });

  it('shows a memory that is written elsewhere, without a reload', async () => {
    const { id } = await explorer.remember('Ana moved the boat to the north pier.');
    await tab.page.locator(`[data-change="${id}"]`).first().waitFor();
    await tab.page.getByText('Ana moved the boat').first().waitFor();
    await expectAccessible(tab.page);
    expect(tab.faults).toEqual([]);
  });

  it('keeps what comes while it is paused behind a button', async () => {
    const { page } = tab;
    await page.getByRole('button', { name: 'Pause' }).click();
    const before = await page.locator('[data-change]').count();
    const { id } = await explorer.remember('The pier closes at nine.');
    const more = page.getByRole('button', { name: /new changes?: show/ });
    await more.waitFor();
    expect(await page.locator('[data-change]').count()).toBe(before);
    await more.click();
    await page.locator(`[data-change="${id}"]`).first().waitFor();
    await page.getByRole('button', { name: 'Go on' }).click();
  });

  it('misses nothing and shows nothing twice after the connection was lost', async () => {
    const { page, context } = tab;
    await context.setOffline(true);
    const ids: (string | undefined)[] = [];
    for (const content of ['First, while away.', 'Second, while away.'])
      ids.push((await explorer.remember(content)).id);
    await context.setOffline(false);
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    for (const id of ids) await page.locator(`[data-change="${id}"]`).first().waitFor();
    for (const text of ['First, while away.', 'Second, while away.'])
      await expect.poll(() => page.getByText(`new: ${text}`).count()).toBe(1);
  });

  it('shows hostile texts as texts, and fits a narrow window in the dark', async () => {
    const narrow = await explorer.newTab({ viewport: { width: 390, height: 700 }, colorScheme: 'dark' });
    await explorer.open(narrow, 'live');
    await narrow.page.locator('[data-stream=open]').waitFor();
    await explorer.remember(`<img src=x onerror="document.title=1"> ${'x'.repeat(5000)}`);
    await narrow.page.getByText('<img src=x').first().waitFor();
    expect(await narrow.page.title()).not.toBe('1');
    await expectNoSidewaysScroll(narrow.page);
    await expectAccessible(narrow.page);
    expect(narrow.faults).toEqual([]);
    await narrow.context.close();
  });
});
