import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { createServices, openStorage } from '../../src/container.ts';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { engines, newDatabase, sqlitePath } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { testConfig } from '../support/test-config.ts';

type One = { data: { id: string; conversationId: string } };
type Entries = { data: { id: string; recordId: string }[] };

const dayMs = 86_400_000;
let app: AppFixture | undefined;
afterEach(async () => {
  await app?.close();
  app = undefined;
});

const create = async (http: Client, body: Record<string, unknown>, headers = {}) =>
  (await http.post<One>('/api/memories', body, headers)).body.data;
const entries = async (http: Client) => (await http.get<Entries>('/api/trash')).body.data;
const found = async (http: Client, word: string) =>
  (await http.get<{ data: unknown[] }>(`/api/memories/search?q=${word}`)).body.data.length;

/** Which of `words` stand in the file or its WAL. */
function wordsInFile(url: string, words: readonly string[]): string[] {
  const path = sqlitePath(url);
  const bytes = Buffer.concat([path, `${path}-wal`].map((file) => readFileSync(file)));
  return words.filter((word) => bytes.includes(word));
}

describe('erasing for good on sqlite', () => {
  const rare = ['xylophonist', 'quagmire', 'zymotic', 'borborygmus', 'flibbertigibbet', 'wherryman'];

  const rarely = async (http: Client) => {
    const headers = { 'idempotency-key': randomUUID() };
    const content = 'xylophonist in a quagmire';
    const memory = await create(http, { content, conversationId: 'NEW', name: 'zymotic' }, headers);
    await http.put(`/api/memories/${memory.id}`, { content: `borborygmus ${'long '.repeat(4000)}` });
    await http.put(`/api/memories/${memory.id}`, { context: 'flibbertigibbet' });
    return memory;
  };

  it('erasing for good leaves nothing of a memory in the file or its WAL once DELETE is answered', async () => {
    app = await newAppFixture('sqlite');
    const http = await app.newClient();
    for (let i = 0; i < 40; i++) await create(http, { content: `pomegranate ${i} tree` });
    const memory = await rarely(http);
    for (let i = 0; i < 40; i++) await create(http, { content: `pomegranate ${i} branch` });
    await http.get('/api/memories/search?q=xylophonist');
    await http.delete(`/api/memories/${memory.id}`);
    const words = rare.slice(0, 5);
    expect(wordsInFile(app.databaseUrl, words)).toEqual(words);
    const [entry] = await entries(http);
    expect((await http.delete(`/api/trash/${entry.id}`)).status).toBe(204);
    // Its id stays in the list of changes, for those who have a copy of the memory.
    expect(wordsInFile(app.databaseUrl, words)).toEqual([]);
    expect(wordsInFile(app.databaseUrl, ['pomegranate'])).toEqual(['pomegranate']);
    expect(await found(http, 'pomegranate')).toBe(20);
    expect(await found(http, 'xylophonist')).toBe(0);
  });

  it('erasing for good leaves nothing of a conversation, while others write', async () => {
    app = await newAppFixture('sqlite');
    const [http, other] = [await app.newClient(), await app.newClient()];
    const { conversationId } = await rarely(http);
    for (let i = 0; i < 100; i++) await create(http, { content: `wherryman ${i}`, conversationId });
    await http.delete(`/api/conversations/${conversationId}`);
    const [entry] = await entries(http);
    let written = 0;
    let erased = false;
    const writing = (async () => {
      while (!erased) await create(other, { content: `pomegranate ${written++}` });
    })();
    const reply = await http.delete(`/api/trash/${entry.id}`);
    const left = wordsInFile(app.databaseUrl, rare);
    erased = true;
    await writing;
    expect([reply.status, left]).toEqual([204, []]);
    expect(written).toBeGreaterThan(1);
    expect(await found(other, 'pomegranate')).toBe(Math.min(written, 20));
  });

  it('with MEMORYD_TRASH_DAYS=0 leaves nothing once the delete itself is answered', async () => {
    app = await newAppFixture('sqlite', { MEMORYD_TRASH_DAYS: '0' });
    const http = await app.newClient();
    const memory = await rarely(http);
    await http.delete(`/api/memories/${memory.id}`);
    expect(wordsInFile(app.databaseUrl, rare)).toEqual([]);
  });

  it('erasing for good keeps words that another memory contains, and suggests none that is gone', async () => {
    app = await newAppFixture('sqlite');
    const http = await app.newClient();
    const memory = await create(http, { content: 'xylophonist pomegranate', conversationId: 'NEW' });
    await create(http, { content: 'pomegranate juice', conversationId: 'NEW' });
    await http.delete(`/api/memories/${memory.id}`);
    const [entry] = await entries(http);
    await http.delete(`/api/trash/${entry.id}`);
    expect(await found(http, 'pomegranat')).toBe(1);
    expect(await found(http, 'xylophonst')).toBe(0);
    // A word that was forgotten is known again once it is written again.
    await create(http, { content: 'a xylophonist again' });
    expect(await found(http, 'xylophonst')).toBe(1);
  });
});

describe.each(engines)('what is deleted on %s', (engine) => {
  it('a deleted record is erased in the same request where nothing is kept', async () => {
    app = await newAppFixture(engine, { MEMORYD_TRASH_DAYS: '0' });
    const http = await app.newClient();
    const [one, two, three] = [
      await create(http, { content: 'first', name: 'head' }),
      await create(http, { content: 'second' }),
      await create(http, { content: 'third', conversationId: 'NEW' }),
    ];
    const next = await http.put<One>('/api/memories/named/head', { content: 'fourth' });
    expect((await http.delete(`/api/memories/${next.body.data.id}`)).status).toBe(204);
    const head = await http.get<One>('/api/memories/named/head');
    expect(head.body.data.id).toBe(one.id);
    const bulk = { ids: [one.id, two.id, 'none'], confirmDeletion: true };
    expect((await http.delete('/api/memories/bulk', bulk)).body).toMatchObject({ deleted: 2 });
    expect((await http.delete(`/api/conversations/${three.conversationId}`)).status).toBe(204);
    expect(await entries(http)).toEqual([]);
    expect((await http.get<{ data: unknown[] }>('/api/memories')).body.data).toEqual([]);
  });

  it('a deleted record is erased once it is older than it is kept', async () => {
    const database = await newDatabase(engine);
    const config = testConfig({ MEMORYD_DATABASE_URL: database.url, MEMORYD_TRASH_DAYS: '7' });
    const storage = await openStorage(config, { exclusive: true });
    const clock = { time: Date.parse('2026-01-01T00:00:00Z'), now: () => clock.time };
    const services = createServices(config, storage, clock);
    const { memories, trash } = services;
    const users = await Promise.all(
      ['ana', 'ben'].map((name) =>
        storage.users.insert({ publicId: randomUUID(), name, email: `${name}@example.test`, at: 1 }),
      ),
    );
    const page = { limit: 20, offset: 0 };
    const left = async () =>
      Promise.all(users.map(async (user) => (await trash.list(user, page)).items.map(({ title }) => title)));
    for (const user of users) {
      for (const content of ['old', 'new']) {
        const { memory } = await memories.create(user, { content }, { conversationId: 'NEW' });
        await memories.delete(user, memory.id);
        clock.time += dayMs / 2;
      }
    }
    clock.time = Date.parse('2026-01-08T00:00:00Z') - 1;
    expect(await trash.eraseDue()).toBe(0);
    expect(await left()).toEqual([
      ['new', 'old'],
      ['new', 'old'],
    ]);
    clock.time += 1;
    expect(await trash.eraseDue()).toBe(1);
    expect(await left()).toEqual([['new'], ['new', 'old']]);
    clock.time += dayMs;
    services.jobs.start();
    await expect.poll(left, { timeout: 20_000 }).toEqual([[], ['new']]);
    await services.close();
    await storage.close();
    await database.drop();
  });

  it('a deleted record is erased to its end after an erasing that was interrupted', async () => {
    app = await newAppFixture(engine);
    const http = await app.newClient();
    const { id, conversationId } = await create(http, { content: 'half gone', conversationId: 'NEW' });
    await http.delete(`/api/conversations/${conversationId}`);
    const [entry] = await entries(http);
    const { stores, trash, users } = app.services;
    const { body } = await http.get<One>('/api/users/me');
    const user = (await users.list()).find(({ publicId }) => publicId === body.data.id);
    if (!user) throw new Error('no user');
    await stores.forUser(user).transaction((tx) => tx.trash.beginErasing(entry.id, 1));
    expect(await entries(http)).toEqual([]);
    expect((await http.post(`/api/trash/${entry.id}/restore`)).status).toBe(404);
    expect(await trash.eraseDue()).toBe(1);
    expect((await http.delete(`/api/trash/${entry.id}`)).status).toBe(404);
    const trashed = await stores.forUser(user).transaction((tx) => tx.memories.findTrashed([id]));
    expect(trashed).toEqual([]);
  });
});
