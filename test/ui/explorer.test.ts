import type { Page, Request } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { newGate } from '../support/gate.ts';
import { expectAccessible, expectNoSidewaysScroll, hasBrowser, type Tab, useExplorer } from './browser.ts';

const views = [
  ...['', 'search?q=tea', 'review?all=1', 'live', 'people', 'facts', 'topics', 'trash', 'service'],
];
const hostile = [
  '<img src=x onerror="document.title=1"><script>document.title=2</script>',
  'javascript:alert(1) data:text/html,<script>1</script> https://a.test/"onmouseover=alert(1)',
  'right \u202eto left\u202c, zero\u200bwidth, tags \u{e0041}\u{e0042}',
  'x'.repeat(49_000),
  '\ud83d\ude00'.repeat(200),
  '</textarea></script><svg onload=alert(1)>',
];

/** The stream of changes never ends: the network is not idle with it. */
const loaded = (page: Page, view: string) =>
  view === 'live' ? page.locator('[data-stream=open]').waitFor() : page.waitForLoadState('networkidle');

describe.skipIf(!hasBrowser)('the explorer', () => {
  const explorer = useExplorer();
  let tab: Tab;

  beforeAll(async () => {
    for (let i = 0; i < 130; i++)
      await explorer.remember(`Note ${i}: Ana drinks green tea in room ${i}.`, {
        eventTime: new Date(Date.UTC(2026, 0, 1 + i)).toISOString(),
        topics: i % 10 === 0 ? ['kitchen'] : undefined,
      });
    tab = await explorer.newTab();
    await explorer.open(tab);
  });

  it('takes the key of a link out of the address, exchanges it for one of the tab, and ends it', async () => {
    const link = await explorer.newKey(['read', 'write', 'admin'], '12h');
    const other = await explorer.newTab();
    await explorer.open(other, '', link);
    expect(new URL(other.page.url()).hash).toBe('');
    const statusOfLink = async () =>
      (await explorer.call('GET', '/api/memories?limit=1', undefined, link)).status;
    await expect.poll(statusOfLink, 'the page ends the key of the link after it is drawn').toBe(401);
    const kept = await other.page.evaluate(() => sessionStorage.getItem('memoryd.session') ?? '');
    expect(kept).not.toContain(link);
    await other.page.reload();
    await other.page.waitForSelector('.row');
    await other.page.goto(`${explorer.url}/ui/service`);
    await other.page.getByRole('button', { name: 'Sign out' }).click();
    await other.page.waitForSelector('input#key');
    const { key } = JSON.parse(kept) as { key: string };
    expect((await explorer.call('GET', '/api/memories?limit=1', undefined, key)).status).toBe(401);
    expect(other.faults.filter((fault) => !fault.includes('401'))).toEqual([]);
    await other.context.close();
  });

  it('asks for a key again, and keeps the address', async () => {
    const other = await explorer.newTab();
    await other.page.goto(`${explorer.url}/ui/search?q=tea`);
    await other.page.fill('input[type=password]', 'mk_wrong.wrong');
    await other.page.getByRole('button', { name: 'Sign in' }).click();
    await other.page.getByText('Send a valid API key').waitFor();
    await other.page.fill('input[type=password]', await explorer.newKey(['read']));
    await other.page.getByRole('button', { name: 'Sign in' }).click();
    await other.page.waitForSelector('[data-hit]');
    expect(new URL(other.page.url()).search).toBe('?q=tea');
    await other.context.close();
  });

  it('shows all memories by time; the bars sum to their count, and a click on one shows its days only', async () => {
    const { page } = tab;
    await page.goto(`${explorer.url}/ui/`);
    const bars = page.locator('.histogram g');
    await bars.first().waitFor();
    const labels = await bars.evaluateAll((all) => all.map((bar) => bar.getAttribute('aria-label') ?? ''));
    const sum = labels.reduce((total, label) => total + Number(/: (\d+)/.exec(label)?.[1] ?? 0), 0);
    expect(sum).toBe(130);
    await page.getByText('130 memories').waitFor();
    await bars.nth(1).click();
    await expect.poll(() => page.locator('.row').count()).toBe(Number(/: (\d+)/.exec(labels[1] ?? '')?.[1]));
    await page.getByRole('button', { name: 'Show all times' }).click();
    await page.getByText('130 memories').waitFor();
  });

  it('scrolls through all rows without missing one', async () => {
    const { page } = tab;
    await page.goto(`${explorer.url}/ui/`);
    await page.locator('.row').first().waitFor();
    const seen = new Set<string>();
    await expect
      .poll(async () => {
        for (const href of await page
          .locator('.row')
          .evaluateAll((all) => all.map((row) => row.getAttribute('href') ?? '')))
          seen.add(href);
        await page.mouse.wheel(0, 4000);
        return seen.size;
      })
      .toBe(130);
  });

  it('finds, says why, narrows down by a facet whose count it keeps, and is the same after a reload', async () => {
    const { page } = tab;
    await page.goto(`${explorer.url}/ui/`);
    await page.locator('.row').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('green tea');
    await page.keyboard.press('Enter');
    await page.locator('[data-hit]').first().waitFor();
    await page.locator('[data-hit] button').first().click();
    await page.locator('.why tr').first().waitFor();
    const facet = page.locator('aside a', { hasText: 'kitchen' });
    const count = Number(await facet.locator('.count').textContent());
    await facet.click();
    await page.getByText(`${count} memories in`).waitFor();
    const ids = () =>
      page.locator('[data-hit]').evaluateAll((all) => all.map((hit) => hit.getAttribute('data-hit')));
    const before = await ids();
    await page.reload();
    await page.locator('[data-hit]').first().waitFor();
    expect(await ids()).toEqual(before);
  });

  it('edits a text, shows what changed, and takes it back', async () => {
    const { page } = tab;
    const { id } = await explorer.remember('The kettle holds one litre.');
    await page.goto(`${explorer.url}/ui/m/${id?.slice(0, 8)}`);
    await page.locator('.content', { hasText: 'one litre' }).waitFor();
    await page.keyboard.press('e');
    await page.locator('textarea').fill('The kettle holds two litres.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.content', { hasText: 'two litres' }).first().waitFor();
    await page.locator('.versions').getByRole('button', { name: '2', exact: true }).click();
    expect(await page.locator('.diff ins').allTextContents()).toEqual(['two', 'litres']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.locator('.content').getByText('The kettle holds one litre.').first().waitFor();
    expect((await explorer.call('GET', `/api/memories/${id}`)).body.data.content).toBe(
      'The kettle holds one litre.',
    );
  });

  it('loses nothing where two tabs edit one memory', async () => {
    const { page } = tab;
    const { id } = await explorer.remember('The lamp is blue.');
    await page.goto(`${explorer.url}/ui/m/${id}`);
    await page.getByRole('link', { name: /^by .+ \(HTTP(?:, [^)]+)?\)$/ }).waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.locator('textarea').fill('The lamp is red.');
    await expect.poll(() => page.locator('textarea').inputValue()).toBe('The lamp is red.');
    await page.waitForLoadState('networkidle');
    await explorer.call('PUT', `/api/memories/${id}`, { content: 'The lamp is green.' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.diff ins', { hasText: 'green' }).waitFor();
    expect((await explorer.call('GET', `/api/memories/${id}`)).body.data.content).toBe('The lamp is green.');
    await page.getByRole('button', { name: 'Save mine over it' }).click();
    await expect
      .poll(async () => (await explorer.call('GET', `/api/memories/${id}`)).body.data.content)
      .toBe('The lamp is red.');
  });

  it('keeps a text that is being written when its key is revoked', async () => {
    const key = await explorer.newKey(['read', 'write']);
    const { id } = await explorer.remember('The hatch is shut.');
    const other = await explorer.newTab();
    await explorer.open(other, `m/${id}`, key);
    await other.page.getByRole('button', { name: 'Edit' }).click();
    await other.page.locator('textarea').fill('The hatch is open.');
    await explorer.call('DELETE', '/api/apikeys/current', undefined, key);
    await other.page.getByRole('button', { name: 'Save' }).click();
    await other.page.fill('input[type=password]', await explorer.newKey(['read', 'write']));
    await other.page.getByRole('button', { name: 'Sign in' }).click();
    await other.page.locator('textarea').waitFor();
    expect(await other.page.locator('textarea').inputValue()).toBe('The hatch is open.');
    await other.page.getByRole('button', { name: 'Save' }).click();
    await other.page.locator('.content', { hasText: 'The hatch is open.' }).waitFor();
    await other.page.reload();
    await other.page.locator('.content', { hasText: 'The hatch is open.' }).waitFor();
    await other.context.close();
  });

  it('is used with the mouse alone: each view, a row, an edit without a change, the trash and back', async () => {
    const { id } = await explorer.remember('The mouse found the cheese.', {
      eventTime: '2026-11-01T00:00:00Z',
    });
    const other = await explorer.newTab();
    await explorer.open(other);
    const links = other.page.locator('nav a');
    for (let i = 0; i < (await links.count()); i++) {
      await links.nth(i).click();
      await other.page.locator('h1, .row, [data-row], .empty').first().waitFor();
    }
    await links.first().click();
    await other.page.locator(`a[href^="/ui/m/${id}"]`).first().click();
    await other.page.getByRole('button', { name: 'Edit' }).click();
    await other.page.getByRole('button', { name: 'Cancel' }).click();
    await other.page.getByRole('button', { name: 'Move to the trash' }).click();
    await other.page.getByRole('button', { name: /^Undo/ }).click();
    await other.page.locator('.content', { hasText: 'The mouse found the cheese.' }).waitFor();
    expect(other.faults).toEqual([]);
    await other.context.close();
  });

  it('deletes, and brings back the same record by one key', async () => {
    const { page } = tab;
    const { id } = await explorer.remember('The clock is slow.');
    const path = `/api/memories/${id}`;
    await expect
      .poll(async () => (await explorer.call('GET', path)).body.data.extractionStatus)
      .toBe('completed');
    const before = (await explorer.call('GET', path)).body;
    await page.goto(`${explorer.url}/ui/m/${id}`);
    await page.locator('.content', { hasText: 'slow' }).waitFor();
    await page.getByRole('button', { name: 'Move to the trash' }).click();
    await page.locator('.notice', { hasText: 'Moved to the trash.' }).waitFor();
    expect((await explorer.call('GET', `/api/memories/${id}`)).status).toBe(404);
    await page.keyboard.press('z');
    await expect.poll(async () => (await explorer.call('GET', `/api/memories/${id}`)).status).toBe(200);
    expect((await explorer.call('GET', `/api/memories/${id}`)).body).toEqual(before);
  });

  it('asks for nothing of a memory that went to the trash while it was being read', async () => {
    const { id } = await explorer.remember('The gate is open.');
    const other = await explorer.newTab();
    const deleted = newGate();
    const { page } = other;
    const ofVersions = (request: Request) => request.url().includes(`${id}/versions`);
    const ended = Promise.race([
      page.waitForEvent('requestfinished', ofVersions),
      page.waitForEvent('requestfailed', ofVersions),
    ]);
    await page.route(`**/api/memories/${id}/versions*`, async (route) => {
      await deleted.opened;
      // Refused where the page has ended the request.
      await route.continue().catch(() => undefined);
    });
    await page.route(`**/api/memories/${id}`, async (route) => {
      if (route.request().method() !== 'DELETE') return route.continue();
      const response = await route.fetch();
      deleted.open();
      await ended;
      await route.fulfill({ response });
    });
    await explorer.open(other, `m/${id}`);
    await page.getByRole('button', { name: 'Move to the trash' }).click();
    await page.locator('.notice', { hasText: 'Moved to the trash.' }).waitFor();
    expect(other.faults).toEqual([]);
    await other.context.close();
  });

  it('restores and erases from the trash', async () => {
    const { page } = tab;
    const { id } = await explorer.remember('The door squeaks.');
    await explorer.call('DELETE', `/api/memories/${id}`);
    await page.goto(`${explorer.url}/ui/trash`);
    const entry = page.locator('.entries li', { hasText: 'The door squeaks.' });
    await entry.getByRole('button', { name: 'Restore' }).click();
    await expect.poll(async () => (await explorer.call('GET', `/api/memories/${id}`)).status).toBe(200);
    await explorer.call('DELETE', `/api/memories/${id}`);
    await page.reload();
    page.once('dialog', (dialog) => void dialog.accept());
    await entry.getByRole('button', { name: 'Erase for good' }).click();
    await entry.waitFor({ state: 'detached' });
  });

  it('restores what belongs to a deleted memory together with it', async () => {
    // The browser reports the refused restore, which is no fault of the page.
    const other = await explorer.newTab();
    await explorer.open(other, 'trash');
    const { page } = other;
    const { id: memoryId } = await explorer.remember('The stove is warm.');
    const artifact = { type: 'text/plain', content: 'Plan of the stove', name: 'stove plan', memoryId };
    const { id } = (await explorer.call('POST', '/api/artifacts', artifact)).body.data;
    await explorer.call('DELETE', `/api/artifacts/${id}`);
    await explorer.call('DELETE', `/api/memories/${memoryId}`);
    await page.reload();
    const entry = page.locator('.entries li', { hasText: 'stove plan' });
    await entry.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('button', { name: 'Restore that one first, then this' }).click();
    for (const path of [`/api/memories/${memoryId}`, `/api/artifacts/${id}`])
      await expect.poll(async () => (await explorer.call('GET', path)).status, path).toBe(200);
    await other.context.close();
  });

  it('has no button that a key with the scope read cannot use', async () => {
    const other = await explorer.newTab();
    const { id } = await explorer.remember('The chair is old.');
    await explorer.open(other, `m/${id}`, await explorer.newKey(['read']));
    await other.page.getByText('Your key may only read').waitFor();
    expect(await other.page.locator('article button').allTextContents()).toEqual(['Say why']);
    await other.context.close();
  });

  it('shows hostile texts as texts, and sends nothing anywhere else', async () => {
    const { page, faults } = tab;
    const ids: string[] = [];
    for (const content of hostile) {
      const { id } = await explorer.remember(content, { topics: [content.slice(0, 40)] });
      ids.push(String(id));
    }
    for (const view of [...views, ...ids.map((id) => `m/${id}`)]) {
      await page.goto(`${explorer.url}/ui/${view}`);
      await loaded(page, view);
      expect(await page.title()).toBe('memoryd');
      await expectNoSidewaysScroll(page);
    }
    await page.goto(`${explorer.url}/ui/m/${ids[2]}`);
    await page.locator('.content .unseen', { hasText: 'U+202E' }).waitFor();
    await page.goto(`${explorer.url}/ui/m/${ids[1]}`);
    await page.locator('.content').waitFor();
    expect(
      await page
        .locator('.content a')
        .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).protocol)),
    ).toEqual(['https:']);
    // The browser reports the refused edit and the deleted memory of the tests above.
    expect(faults.filter((fault) => !/status of 4(04|12)/.test(fault))).toEqual([]);
  });

  it.each(['light', 'dark'] as const)(
    'is accessible in every view, %s, also on a narrow screen',
    async (colorScheme) => {
      const other = await explorer.newTab({ colorScheme, viewport: { width: 390, height: 800 } });
      const { id } = await explorer.remember('Ana lives in Lisbon.', { topics: ['home'] });
      await explorer.open(other);
      for (const view of [...views, `m/${id}`, 'nothing']) {
        await other.page.goto(`${explorer.url}/ui/${view}`);
        await loaded(other.page, view);
        await other.page
          .locator('h1')
          .waitFor({ timeout: 10_000 })
          .catch(async () => {
            throw new Error(`${view}: ${await other.page.locator('body').innerHTML()} ${other.faults}`);
          });
        await expectAccessible(other.page);
        await expectNoSidewaysScroll(other.page);
      }
      expect(other.faults).toEqual([]);
      await other.context.close();
    },
  );
});
