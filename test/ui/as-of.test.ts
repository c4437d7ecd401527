import { beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectNoSidewaysScroll, hasBrowser, type Tab, useExplorer } from './browser.ts';

describe.skipIf(!hasBrowser)('as of a time', () => {
  const explorer = useExplorer();
  let tab: Tab;
  let id = '';
  /** Between the first text of the kettle and the second. */
  let then = '';
  const show = (path: string) => tab.page.goto(`${explorer.url}/ui/${path}`);
  const asOf = () => `asOf=${encodeURIComponent(then)}`;

  beforeAll(async () => {
    const old = { createdAt: '2020-05-01T10:00:00Z' };
    await explorer.remember('The old kettle leaks.', old);
    const made = await explorer.remember('The kettle holds one litre.');
    id = made.id ?? '';
    then = made.updatedAt ?? '';
    await explorer.call('PUT', `/api/memories/${id}`, { content: 'The kettle holds two litres.' });
    tab = await explorer.newTab();
    await explorer.open(tab);
  });

  it('timeline, search and a memory show what was known then, tinted, and go together', async () => {
    const { page } = tab;
    await show(`?${asOf()}`);
    await page.getByText('one litre').waitFor();
    expect(await page.getByText('two litres').count()).toBe(0);
    await page.locator('main.looking-back').waitFor();
    await expectAccessible(page);
    await page.getByText('one litre').click();
    await page.locator('.content', { hasText: 'one litre' }).waitFor();
    expect(page.url()).toContain(asOf());
    expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
    await page.getByRole('navigation').getByRole('link', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('kettle litre');
    await page.getByRole('searchbox').press('Enter');
    await page.getByText('one litre').first().waitFor();
    expect(page.url()).toContain(asOf());
    await page.getByRole('link', { name: 'Back to now' }).click();
    await page.getByText('two litres').first().waitFor();
    expect(page.url()).not.toContain('asOf');
    expect(await page.locator('main.looking-back').count()).toBe(0);
    expect(tab.faults).toEqual([]);
  });

  it('a date and the slider choose a time, and the end of the slider is now', async () => {
    const { page } = tab;
    await show('');
    await page.locator('.as-of summary').click();
    await page.getByLabel('The end of this day').fill('2020-01-01');
    await page.getByText('Nothing was stored then.').waitFor();
    expect(page.url()).toContain('asOf=2020-01-01');
    const slider = page.getByRole('slider');
    await slider.focus();
    await slider.press('End');
    await page.getByText('two litres').waitFor();
    expect(page.url()).not.toContain('asOf');
    await slider.press('Home');
    await page.getByRole('link', { name: 'Back to now' }).waitFor();
    expect(new URL(page.url()).searchParams.get('asOf')).toMatch(/^2020-/);
    await page.goBack();
    await page.getByText('two litres').waitFor();
    expect(tab.faults).toEqual([]);
  });

  it('a view that cannot look back says so, and has no button that changes anything', async () => {
    const { page } = tab;
    const deleted = await explorer.remember('Soon in the trash.');
    await explorer.call('DELETE', `/api/memories/${deleted.id}`);
    await show(`trash?${asOf()}`);
    await page.getByText('This view cannot look back').waitFor();
    await page.getByText('Soon in the trash.').first().waitFor();
    expect(await page.getByRole('button', { name: 'Restore' }).count()).toBe(0);
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await page.getByText('one litre').waitFor();
    expect(tab.faults).toEqual([]);
  });

  it('fits a narrow window in the dark, and shows a time that is none as the service refuses it', async () => {
    const narrow = await explorer.newTab({ viewport: { width: 390, height: 700 }, colorScheme: 'dark' });
    await explorer.open(narrow, `?${asOf()}`);
    await narrow.page.getByText('one litre').waitFor();
    await expectNoSidewaysScroll(narrow.page);
    await expectAccessible(narrow.page);
    expect(narrow.faults).toEqual([]);
    await narrow.page.goto(`${explorer.url}/ui/?asOf=%3Cb%3Ex`);
    await narrow.page.getByRole('alert').first().waitFor();
    await narrow.page.getByText('<b>x').first().waitFor();
    await narrow.context.close();
  });
});
