import { beforeAll, describe, expect, it } from 'vitest';
import { runStatement } from '../support/run-statement.ts';
import { expectAccessible, expectNoSidewaysScroll, hasBrowser, type Tab, useExplorer } from './browser.ts';

interface Jobs {
  readonly data: readonly { readonly id: string; readonly state: string }[];
}

describe.skipIf(!hasBrowser)('jobs in the service view', () => {
  const explorer = useExplorer();
  let tab: Tab;
  const failed = async () =>
    (await explorer.call<Jobs>('GET', '/api/system/jobs?state=failed')).body.data.map(({ id }) => id);

  beforeAll(async () => {
    for (const content of ['The tide is at six.', 'The tide is at seven.']) await explorer.remember(content);
    // Jobs of a step that no program has: they stay as they are.
    await runStatement(
      explorer.database,
      `INSERT INTO jobs (user_id, doc, step, version, attempts, due_at, taken, error, error_code, failed_at)
       SELECT user_id, doc, 'paint', 1, 3, NULL, 0, 'x', '<b>ODD</b>', 1790000000000 FROM memory_versions`,
    );
    tab = await explorer.newTab();
    await explorer.open(tab, 'service');
  });

  it('shows what failed, and has it tried again', async () => {
    const { page } = tab;
    const rows = page.getByRole('region', { name: 'Failed' }).locator('[data-job]');
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByText('<b>ODD</b>').first().waitFor();
    expect(await failed()).toHaveLength(2);
    await expectAccessible(page);
    await rows.first().getByRole('button', { name: 'Try again now' }).click();
    await page.getByText('1 job is tried again').waitFor();
    await expect.poll(() => rows.count()).toBe(1);
    expect(await failed()).toHaveLength(1);
    await page.getByRole('region', { name: 'Waiting' }).getByText('paint').waitFor();
    expect(tab.faults).toEqual([]);
  });

  it('asks for the quality of the memories only when its card is opened', async () => {
    const { page } = tab;
    const asked: string[] = [];
    page.on('request', (request) => request.url().includes('/memory/quality') && asked.push(request.url()));
    await page.goto(`${explorer.url}/ui/service`);
    await page.getByRole('region', { name: 'Waiting' }).waitFor();
    expect(asked).toEqual([]);
    await page.getByText('Quality', { exact: true }).click();
    const judged = page.locator('[data-judged]');
    const before = await judged.getAttribute('data-judged');
    await page.getByRole('button', { name: 'Judge again now' }).click();
    await expect.poll(() => judged.getAttribute('data-judged')).not.toBe(before);
    expect(asked.map((url) => url.includes('fresh=true'))).toEqual([false, true]);
    await expectAccessible(page);
    expect(tab.faults).toEqual([]);
  });

  it('says which messages of webhooks wait, since when, and which were given up', async () => {
    const { page } = tab;
    // No change is of this kind here, so that its only message is that of the trial.
    const webhook = { url: 'https://receiver.invalid/', kinds: ['artifact'] };
    const { body } = await explorer.call('POST', '/api/webhooks', webhook);
    await explorer.call('POST', `/api/webhooks/${body.data.id}/test`, {});
    await page.goto(`${explorer.url}/ui/service`);
    await page.getByText(/webhooks: 1 message waits since /).waitFor();
    const { data } = body;
    // After a try that is over, so that none writes its outcome over the next statement.
    await expect
      .poll(async () => {
        const tried = await explorer.call<{ data: { attempts: number }[] }>(
          'GET',
          `/api/webhooks/${data.id}/deliveries`,
        );
        return tried.body.data[0]?.attempts;
      })
      .toBe(1);
    await runStatement(explorer.database, "UPDATE webhook_deliveries SET state = 'dead'");
    await page.reload();
    await page.getByText('webhooks: 0 messages wait').getByText('1 message given up').waitFor();
    await expectAccessible(page);
    expect(tab.faults).toEqual([]);
  });

  it('has no button for a key that may only read, and fits a narrow window', async () => {
    const narrow = await explorer.newTab({ viewport: { width: 390, height: 700 }, colorScheme: 'dark' });
    await explorer.open(narrow, 'service', await explorer.newKey(['read']));
    await narrow.page.getByRole('region', { name: 'Failed' }).waitFor();
    expect(await narrow.page.getByRole('button', { name: 'Try again now' }).count()).toBe(0);
    await expectNoSidewaysScroll(narrow.page);
    await expectAccessible(narrow.page);
    expect(narrow.faults).toEqual([]);
    await narrow.context.close();
  });
});
