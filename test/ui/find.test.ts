import { beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectNoSidewaysScroll, hasBrowser, type Tab, useExplorer } from './browser.ts';

interface Part {
  readonly label: string;
  readonly value: number;
}
interface Found {
  readonly data: readonly {
    readonly id: string;
    readonly score: number;
    readonly explanation: { readonly parts: readonly Part[] };
  }[];
  readonly explained: { readonly reason: string };
}

describe.skipIf(!hasBrowser)('finding in the explorer', () => {
  const explorer = useExplorer();
  let tab: Tab;

  beforeAll(async () => {
    await explorer.remember('Ana drinks green tea in the morning.', { topics: ['kitchen'] });
    await explorer.remember('Ben likes black tea.', { topics: ['kitchen'] });
    tab = await explorer.newTab();
    await explorer.open(tab);
  });
  const invoice = () => explorer.remember('Quarterly invoices go to the accountant.');
  const show = async (view: string) => {
    await tab.page.goto(`${explorer.url}/ui/${view}`);
    await tab.page.locator('h1').waitFor();
  };

  it('a result shows its text with the words found, and the parts of its score as the service has them', async () => {
    const { page } = tab;
    await show('search?q=green+tea');
    const first = page.locator('[data-hit]').first();
    await first.locator('.text', { hasText: 'Ana drinks green tea in the morning.' }).waitFor();
    expect(await first.locator('mark').allTextContents()).toEqual(['green', 'tea']);
    await first.getByRole('button', { name: 'why' }).click();
    const labels = await first.locator('.why th').allTextContents();
    const values = (await first.locator('.why td.number').allTextContents()).map(Number);
    const { body } = await explorer.call<Found>('GET', '/api/memories/search?q=green+tea&explain=true');
    const [{ score, explanation }] = body.data;
    expect(labels).toEqual(explanation.parts.map(({ label }) => label));
    expect(values.reduce((sum, value) => sum + value, 0)).toBeCloseTo(score, 2);
    await expectAccessible(page);
  });

  it('two results compare their parts, and weights are in the address', async () => {
    const { page } = tab;
    await show('search?q=tea');
    const hits = page.locator('[data-hit]');
    await hits.first().getByRole('button', { name: 'why' }).click();
    await hits.nth(1).getByRole('button', { name: 'compare' }).click();
    const { body } = await explorer.call<Found>('GET', '/api/memories/search?q=tea&explain=true');
    const [one, other] = body.data;
    const rows = page.locator('[data-compared] tbody tr');
    const differences = await rows.evaluateAll((all) =>
      all.map((row) => Number(row.querySelector('td:last-child')?.textContent)),
    );
    const sum = differences.reduce((total, value) => total + value, 0);
    expect(sum).toBeCloseTo(one.score - other.score, 2);
    await expectAccessible(page);
    await page.getByText('Weights', { exact: true }).click();
    await page.getByLabel('newness').fill('1');
    await expect.poll(() => new URL(page.url()).searchParams.get('recency')).toBe('1');
    await page.reload();
    await hits.first().waitFor();
    expect(await page.getByLabel('newness').inputValue()).toBe('1');
    expect(tab.faults).toEqual([]);
  });

  it('a memory asks why a search did not find it, and the answer is the same after a reload', async () => {
    const { page } = tab;
    const { id } = await invoice();
    await show(`m/${id}`);
    await page.getByLabel('Why is it not found by').fill('green tea');
    await page.getByRole('button', { name: 'Say why' }).click();
    const answer = page.locator('.explained');
    await answer.getByText('does not match').waitFor();
    const path = `/api/memories/search?q=green+tea&explain=true&explainId=${id}`;
    const { reason } = (await explorer.call<Found>('GET', path)).body.explained;
    await answer.getByText(reason).waitFor();
    await answer.getByText('green, tea', { exact: true }).waitFor();
    await page.reload();
    await answer.getByText(reason).waitFor();
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 800 });
    await expectNoSidewaysScroll(page);
    await page.setViewportSize({ width: 1100, height: 800 });
  });

  it('a search is asked for a memory by its id or address, with its filter, and of none it says so', async () => {
    const { page } = tab;
    const { id } = await invoice();
    await show('search?q=topic:kitchen+invoices');
    await page.getByLabel('Is one missing? Its id').fill(`${explorer.url}/ui/m/${id}`);
    await page.getByRole('button', { name: 'Say why' }).click();
    await page.locator('.explained dt', { hasText: 'topics' }).waitFor();
    await page.getByLabel('Is one missing? Its id').fill('nothing');
    await page.getByRole('button', { name: 'Say why' }).click();
    await page.locator('.explained').getByText('There is no memory with this id.').waitFor();
  });

  it('a state in the bar shows memories of this state alone', async () => {
    const { page } = tab;
    const older = await explorer.remember('The batch size is 500.');
    await explorer.remember('The batch size is 200 now.', { supersedes: older.id });
    await show('search?q=is:superseded+batch+size');
    await page.locator('[data-hit]').first().waitFor();
    const ids = await page
      .locator('[data-hit]')
      .evaluateAll((all) => all.map((hit) => hit.getAttribute('data-hit')));
    expect(ids).toEqual([older.id]);
  });

  it('a fact and a name lead to their words in the text', async () => {
    const { page } = tab;
    const { id } = await explorer.remember('Yes. Ana moved to Lisbon in March. It was cold.');
    const known = async () =>
      (await explorer.call('GET', `/api/memories/${id}`)).body.data.extractionStatus === 'completed';
    await expect.poll(known).toBe(true);
    await show(`m/${id}`);
    const marks = page.locator('.content mark');
    await expect.poll(() => marks.allTextContents()).toEqual(['Ana', 'Lisbon']);
    const fact = page.locator('li', { hasText: 'moved to' }).getByText('in the text');
    await fact.hover();
    await expect.poll(() => marks.allTextContents()).toEqual([expect.stringContaining('moved to Lisbon')]);
    await fact.click();
    await expect.poll(() => new URL(page.url()).searchParams.get('at')).toMatch(/^\d+-\d+$/);
    await page.reload();
    await expect.poll(() => marks.allTextContents()).toEqual([expect.stringContaining('moved to Lisbon')]);
    await show('facts');
    await page.locator('td a', { hasText: 'Lisbon' }).click();
    await expect.poll(() => marks.allTextContents()).toEqual([expect.stringContaining('moved to Lisbon')]);
  });

  it('an earlier version is reached by buttons on a phone, and all that was known then is read-only', async () => {
    const { id } = await explorer.remember('The kettle holds one litre.');
    await explorer.call('PUT', `/api/memories/${id}`, { content: 'The kettle holds two litres.' });
    const phone = await explorer.newTab({ viewport: { width: 390, height: 800 }, hasTouch: true });
    await explorer.open(phone, `m/${id}`);
    const { page } = phone;
    await page.getByRole('button', { name: 'Earlier' }).tap();
    await page.locator('.versions [aria-pressed=true]', { hasText: '1' }).waitFor();
    await page.getByRole('link', { name: 'All that was known then' }).tap();
    await page.locator('.content', { hasText: 'one litre' }).first().waitFor();
    await page.locator('.note').getByText('Nothing can be changed there').waitFor();
    expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await page.getByRole('link', { name: 'Back to now' }).tap();
    await page.locator('.content', { hasText: 'two litres' }).first().waitFor();
    expect(phone.faults).toEqual([]);
    await phone.context.close();
  });

  it('while the service is stopped what was shown and typed stays, and all comes back with it', async () => {
    const other = await explorer.newTab();
    const { id } = await explorer.remember('The lamp is blue.');
    await explorer.open(other, `m/${id}`);
    const { page } = other;
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.locator('textarea').fill('The lamp is red.');
    await page.waitForLoadState('networkidle');
    const reader = await other.context.newPage();
    const session = await page.evaluate(() => sessionStorage.getItem('memoryd.session') ?? '');
    await reader.addInitScript((kept) => sessionStorage.setItem('memoryd.session', kept), session);
    await reader.goto(`${explorer.url}/ui/`);
    await reader.locator('.row').first().waitFor();
    await reader.waitForLoadState('networkidle');
    await explorer.whileStopped(async () => {
      await page.getByRole('button', { name: 'Save' }).click();
      await page.locator('.notice.failure', { hasText: 'does not answer' }).waitFor();
      expect(await page.locator('textarea').inputValue()).toBe('The lamp is red.');
      await reader.locator('nav a', { hasText: 'Facts' }).click();
      await reader.locator('[role=alert]', { hasText: 'does not answer' }).waitFor();
      await reader.getByRole('button', { name: 'Try again' }).waitFor();
      await expectAccessible(reader);
    });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.content', { hasText: 'The lamp is red.' }).first().waitFor();
    expect((await explorer.call('GET', `/api/memories/${id}`)).body.data.content).toBe('The lamp is red.');
    await reader.locator('td a').first().waitFor();
    expect(await reader.locator('[role=alert]').count()).toBe(0);
    await other.context.close();
  });
});
