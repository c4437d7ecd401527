import { beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../cli/run-cli.ts';
import { poll } from '../support/poll.ts';
import { expectAccessible, expectNoSidewaysScroll, hasBrowser, type Tab, useExplorer } from './browser.ts';

interface Entity {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly corrected: boolean;
  readonly mergedEntities: readonly { readonly id: string }[];
}
interface Fact {
  readonly id: string;
  readonly subject: string;
  readonly object: string;
}
interface List<T> {
  readonly data: readonly T[];
}

const hostile = '<img src=x onerror="alert(1)"> \u202e Zoe';

describe.skipIf(!hasBrowser)('the tables of the explorer', () => {
  const explorer = useExplorer();
  let tab: Tab;
  const list = async <T>(path: string) => (await explorer.call<List<T>>('GET', path)).body.data;
  const entities = (query = '') => list<Entity>(`/api/entities?limit=100&query=${encodeURIComponent(query)}`);
  const facts = (query = '') => list<Fact>(`/api/facts?limit=100&q=${encodeURIComponent(query)}`);
  const show = (view: string, { page } = tab) => page.goto(`${explorer.url}/ui/${view}`);
  const row = (name: string, { page } = tab) => page.locator('tr[data-row]', { hasText: name });
  const said = (text: string) => tab.page.locator('.notice', { hasText: text }).waitFor();
  const undo = async () => {
    await tab.page.keyboard.press('z');
    await said('Undone.');
  };

  beforeAll(async () => {
    await explorer.remember('Ana lives in Porto.', { topics: ['home'] });
    await explorer.remember('Marek moved to Lisbon in March.', { topics: ['moving'] });
    await explorer.remember('Marek uses Kafka for the ledger.', { topics: ['work'] });
    const derived = async () => (await entities()).length === 5 && (await facts()).length > 2;
    await poll('all is derived', async () => ((await derived()) ? true : undefined), 30_000);
    tab = await explorer.newTab();
    await explorer.open(tab);
  });

  it('sorts by a column, and finds by a part of a name and by type, all in the address', async () => {
    const { page } = tab;
    await show('people');
    const shown = () => page.locator('tr[data-row] a bdi').allTextContents();
    await row('Kafka').waitFor();
    expect((await shown())[0]).toBe('Marek');
    await page.getByRole('button', { name: 'Name' }).click();
    await expect.poll(shown).toEqual(['Ana', 'Kafka', 'Lisbon', 'Marek', 'Porto']);
    await page.getByRole('button', { name: 'Name' }).click();
    await expect.poll(shown).toEqual(['Porto', 'Marek', 'Lisbon', 'Kafka', 'Ana']);
    expect(await page.locator('th[aria-sort]').getAttribute('aria-sort')).toBe('descending');
    await page.getByRole('combobox').selectOption('LOCATION');
    await expect.poll(shown).toEqual(['Porto', 'Lisbon']);
    await page.getByRole('searchbox', { name: 'Filter' }).fill('lis');
    await expect.poll(shown).toEqual(['Lisbon']);
    await page.reload();
    await expect.poll(shown).toEqual(['Lisbon']);
    await show('topics?name=mov');
    await expect.poll(shown).toEqual(['moving']);
  });

  it('merges two by the keyboard; the old name finds the one; undo restores both', async () => {
    const { page } = tab;
    const before = await entities();
    await show('people?sortBy=name');
    await row('Porto').waitFor();
    await row('Lisbon').focus();
    await page.keyboard.press('x');
    await row('Porto').focus();
    await page.keyboard.press('x');
    await page.getByRole('button', { name: 'Merge Porto into Lisbon' }).waitFor();
    await page.keyboard.press('m');
    await said('Merged.');
    await page.getByRole('searchbox', { name: 'Filter' }).fill('porto');
    await expect.poll(() => page.locator('tr[data-row] a bdi').allTextContents()).toEqual(['Lisbon']);
    await page.locator('h1').click();
    await undo();
    const lasting = (all: readonly Entity[]) => all.map((one) => ({ ...one, updatedAt: undefined }));
    expect(lasting(await entities())).toEqual(lasting(before));
    await row('Porto').waitFor();
  });

  it('leads to the memories of one, and a search narrows down to another by its count', async () => {
    const { page } = tab;
    await show('people');
    await row('Marek').getByRole('link', { name: 'Marek', exact: true }).click();
    await expect.poll(() => page.locator('[data-hit]').count()).toBe(2);
    const people = page.getByRole('list', { name: 'People and things' });
    await people.getByRole('link', { name: /^Kafka 1$/ }).waitFor();
    await show('search?q=Marek');
    await people.getByRole('link', { name: /^Kafka 1$/ }).click();
    await expect.poll(() => page.locator('[data-hit]').count()).toBe(1);
    await people.getByRole('link', { name: /^Kafka 1$/, exact: false }).click();
    await expect.poll(() => page.locator('[data-hit]').count()).toBeGreaterThan(1);
  });

  it('takes out what was merged, and undo merges it again', async () => {
    const { page } = tab;
    const [lisbon] = await entities('lisbon');
    const [porto] = await entities('porto');
    const body = { sourceEntityId: porto.id, targetEntityId: lisbon.id };
    await explorer.call('POST', '/api/entities/merge', body);
    await show('people');
    await row('Lisbon').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Take out' }).click();
    await said('Taken out.');
    expect((await entities('porto')).map(({ id }) => id)).toEqual([porto.id]);
    await undo();
    expect((await entities('porto')).map(({ id }) => id)).toEqual([lisbon.id]);
    await explorer.call('POST', '/api/entities/unmerge', { entityId: porto.id });
  });

  it('renames, corrects a type and deletes, each undone to what was before', async () => {
    const { page } = tab;
    await show('people');
    const [before] = await entities('kafka');
    await row('Kafka').focus();
    await page.keyboard.press('e');
    const form = page.locator('.details form');
    await form.getByLabel('Name').fill(hostile);
    await form.getByLabel('Type').selectOption('PERSON');
    await form.getByRole('button', { name: 'Save' }).click();
    await said('Saved.');
    await row('Zoe').waitFor();
    expect(await entities('kafka')).toMatchObject([{ name: hostile, type: 'PERSON', corrected: true }]);
    await undo();
    await row('Kafka').waitFor();
    const restored = (await entities('kafka'))[0];
    expect({ ...restored, updatedAt: 0 }).toEqual({ ...before, updatedAt: 0 });
    await row('Kafka').focus();
    await page.keyboard.press('#');
    await said('Moved to the trash.');
    expect(await entities('kafka')).toEqual([]);
    await undo();
    expect(await entities('kafka')).toEqual([restored]);
  });

  it('renames a topic, undone to what was before; a name that another has is refused with the reason', async () => {
    const { page } = tab;
    const names = async () => (await list<{ name: string }>('/api/topics?limit=100')).map(({ name }) => name);
    await show('topics');
    const before = await names();
    const rename = async (name: string) => {
      await row('moving').focus();
      await page.keyboard.press('e');
      const form = page.locator('.details form');
      await form.getByLabel('Name').fill(name);
      await form.getByRole('button', { name: 'Save' }).click();
    };
    await rename(hostile);
    await said('Saved.');
    await row('Zoe').waitFor();
    expect(await names()).toContain(hostile);
    await undo();
    await row('moving').waitFor();
    // Derived topics of the new versions come a moment later.
    await expect.poll(names, { timeout: 20_000 }).toEqual(before);
    await rename('work');
    await page.getByText('must not be that of another topic').waitFor();
    expect(await names()).toEqual(before);
  });

  it('unfolds a fact to its sentence; a correction is kept by derive --redo, with its former words', async () => {
    const { page } = tab;
    const [{ id }] = await facts('porto');
    await show('facts?q=porto');
    await row('Porto').focus();
    await page.keyboard.press('Enter');
    await page.locator('.sentence mark', { hasText: 'Ana lives in Porto' }).waitFor();
    const form = page.locator('.details form');
    await form.getByLabel('Object').fill('Braga');
    await form.getByRole('button', { name: 'Save' }).click();
    await said('Saved.');
    expect(await facts('braga')).toMatchObject([{ id, object: 'Braga' }]);
    await undo();
    expect(await facts('porto')).toMatchObject([{ id, object: 'Porto' }]);
    await explorer.call('PUT', `/api/facts/${id}`, { object: 'Braga' });
    const env = { MEMORYD_DATABASE_URL: explorer.databaseUrl, MEMORYD_EMBEDDER: 'static' };
    expect(await runCli(['derive', '--redo'], { env })).toMatchObject({ code: 0 });
    expect(await facts('porto')).toEqual([]);
    expect(await facts('braga')).toMatchObject([{ id, object: 'Braga', corrected: true }]);
    await show('facts?q=braga');
    await page.getByRole('button', { name: /^Details of/ }).click();
    await page.getByRole('list', { name: 'Before' }).getByText('Porto').first().waitFor();
    await expectAccessible(page);
    await row('Braga').focus();
    await page.keyboard.press('#');
    await said('Moved to the trash.');
    await undo();
    expect(await facts('braga')).toMatchObject([{ id, object: 'Braga' }]);
  });

  it('merges two topics, and undo gives every memory its own again', async () => {
    const { page } = tab;
    await show('topics?name=o');
    await row('work').getByRole('checkbox').check();
    await row('home').getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Merge home into work' }).click();
    await said('Merged.');
    await row('home').waitFor({ state: 'detached' });
    await page.locator('h1').click();
    await undo();
    await row('home').waitFor();
    const given = await list<{ topics: string[] }>('/api/memories?topics=home');
    expect(given.map(({ topics }) => topics)).toEqual([['home']]);
  });

  it('shows no writing button to a key that may only read; narrow, unfolded and accessible', async () => {
    const other = await explorer.newTab({ viewport: { width: 390, height: 800 } });
    await explorer.open(other, 'people', await explorer.newKey(['read']));
    const { page } = other;
    await row('Ana', other).waitFor();
    await page.getByRole('button', { name: 'Details of Ana' }).click();
    await page.locator('.details').waitFor();
    expect(await page.locator('tbody button:not([aria-expanded])').count()).toBe(0);
    expect(await page.locator('tbody input').count()).toBe(0);
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await show('facts', other);
    await page.getByRole('button', { name: /^Details of Ana/ }).click();
    await page.locator('.sentence').waitFor();
    expect(await page.locator('tbody button:not([aria-expanded])').count()).toBe(0);
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await other.context.close();
    const writer = await explorer.newTab({ viewport: { width: 390, height: 800 }, colorScheme: 'dark' });
    await explorer.open(writer, 'people');
    await writer.page.getByRole('button', { name: 'Details of Ana' }).click();
    await writer.page.locator('.details form').waitFor();
    await expectAccessible(writer.page);
    await expectNoSidewaysScroll(writer.page);
    const faults = [...tab.faults, ...other.faults, ...writer.faults];
    expect(faults.filter((fault) => !fault.includes('status of 422'))).toEqual([]);
  });
});
