import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, type Tab, useExplorer } from './browser.ts';

interface Finding {
  readonly id: string;
  readonly reason: string;
}
interface Detected {
  readonly meta: { readonly extractionStatus: string };
}
interface Findings {
  readonly data: readonly Finding[];
  readonly pagination: { readonly count: number };
}

const things = [
  ...['ledger', 'archive', 'mailbox', 'gateway', 'invoice', 'payroll', 'warehouse'],
  ...['telemetry', 'calendar', 'glossary'],
];

describe.skipIf(!hasBrowser)('the review of the explorer', () => {
  const explorer = useExplorer();
  const ids: string[] = [];
  let tab: Tab;
  const listed = async (query = '') =>
    (await explorer.call<Findings>('GET', `/api/relationships?limit=100${query}`)).body;

  beforeAll(async () => {
    for (const thing of things) {
      ids.push((await explorer.remember(`The ${thing} export fails.`)).id);
      ids.push((await explorer.remember(`We are still waiting to get the ${thing} export fixed.`)).id);
    }
    tab = await explorer.newTab();
    await explorer.open(tab);
  });

  it('has a pair for each problem and its unfinished fix', async () => {
    await expect.poll(async () => (await listed()).pagination.count).toBeGreaterThanOrEqual(things.length);
    for (const id of ids)
      await expect
        .poll(async () => {
          const path = `/api/memories/${id}/detect-relationships`;
          return (await explorer.call<Detected>('POST', path, {})).body.meta.extractionStatus;
        })
        .toBe('completed');
  });

  it('takes twenty decisions by the keyboard alone, and takes each back', async () => {
    const { page } = tab;
    await page.goto(`${explorer.url}/ui/review?of=candidates&all=1`);
    const before = await listed();
    const pair = page.getByRole('article');
    for (let i = 0; i < 20; i++) {
      await pair.waitFor();
      const left = `${before.pagination.count} wait`;
      await page.getByText(left).waitFor();
      await page.keyboard.press(i % 2 === 0 ? 'a' : 'r');
      await page.getByText(`${before.pagination.count - 1} wait`).waitFor();
      await page.keyboard.press('z');
      await page.getByText(left).waitFor();
    }
    const found = ({ data }: Findings) => data.map(({ id }) => id).sort();
    expect(found(await listed())).toEqual(found(before));
    expect(tab.faults).toEqual([]);
  });

  it('puts a pair off, turns it round, and states another type', async () => {
    const { page } = tab;
    await page.goto(`${explorer.url}/ui/review?of=candidates&all=1`);
    const pair = page.getByRole('article');
    await pair.waitFor();
    const first = await pair.textContent();
    await page.keyboard.press(' ');
    await expect.poll(() => pair.textContent()).not.toBe(first);
    const { count } = (await listed()).pagination;
    await page.keyboard.press('s');
    await page.keyboard.press('t');
    await page.keyboard.press('a');
    await page.getByText(`${count - 1} wait`).waitFor();
    const { body } = await explorer.call<{ data: { type: string; creationMethod: string }[] }>(
      'GET',
      '/api/relationships?state=active',
    );
    expect(body.data.filter(({ creationMethod }) => creationMethod === 'manual')).toHaveLength(1);
    await page.keyboard.press('z');
    await page.getByText(`${count} wait`).waitFor();
  });

  it('rejects all of one reason at once, and takes that back; the number in the rail is that of the API', async () => {
    const { page } = tab;
    await page.goto(
      `${explorer.url}/ui/review?of=candidates&all=1&reason=Perhaps+a+problem+and+its+fix+%E2%80%A6`,
    );
    const ofReason = `&reasonKind=${encodeURIComponent('Perhaps a problem and its fix …')}`;
    const { count } = (await listed(ofReason)).pagination;
    await page.getByRole('button', { name: /^Reject all/ }).click();
    await page.getByText('Rejected, and not found again.').waitFor();
    await expect.poll(async () => (await listed(ofReason)).pagination.count).toBe(0);
    await page.keyboard.press('z');
    await expect.poll(async () => (await listed(ofReason)).pagination.count).toBe(count);
    const sure = (await listed('&minConfidence=0.5')).pagination.count;
    const rail = page.getByRole('navigation').getByRole('link', { name: 'Review' });
    await expect.poll(() => rail.textContent()).toBe(sure === 0 ? 'Review' : `Review${sure}`);
  });
});
