import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

type Data = Record<string, unknown> & { id: string };
type Made = { data: Data; meta: Record<string, unknown> };

describe.each(engines)('a named memory on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;

  const start = async (fields = {}) => {
    http = await app.newClient();
    return http.post<Made>('/api/memories', { content: 'one', name: 'plan', ...fields });
  };
  const put = (body: unknown, headers = {}) => http.put<Made>('/api/memories/named/plan', body, headers);
  const history = async (query = '') =>
    (await http.get<{ name: string; versions: Data[] }>(`/api/memories/named/plan/history${query}`)).body;

  it('a named memory gets a version with every PUT, newest first in its history', async () => {
    const { data: first } = (await start({ topics: ['a'], taskId: 't' })).body;
    const second = await put({ content: 'two', context: 'c', expectedHeadId: first.id });
    expect(second.status).toBe(201);
    expect(second.body.meta).toEqual({ previousVersionId: first.id, version: 2 });
    expect(second.body.data).toMatchObject({
      name: 'plan',
      version: 2,
      content: 'two',
      context: 'c',
      topics: ['a'],
      taskId: 't',
      conversationId: first.conversationId,
    });
    const third = await put({ content: 'three', topics: [], conversationId: 'NEW' });
    expect(third.body.data).toMatchObject({ topics: [], context: 'c', version: 3 });
    expect(third.body.data.conversationId).not.toBe(first.conversationId);
    const all = await history();
    expect(all).toMatchObject({
      name: 'plan',
      versions: [
        { version: 3, content: 'three', effectiveState: 'current' },
        { version: 2, content: 'two', effectiveState: 'superseded' },
        {
          version: 1,
          content: 'one',
          effectiveState: 'superseded',
          id: first.id,
          createdAt: first.createdAt,
        },
      ],
    });
    expect((await history('?limit=2')).versions).toEqual(all.versions.slice(0, 2));
    const head = await http.get<Made>('/api/memories/named/plan');
    expect(head.body.data.id).toBe(third.body.data.id);
    const found = await http.get<{ data: Data[] }>('/api/memories/search?q=two&searchMethod=keyword');
    expect(found.body.data).toEqual([]);
  });

  it('a named memory takes over in a new version what the body leaves out, but not when the statement before was true', async () => {
    const times = { eventTime: '2024-01-01', validFrom: '2024-01-01', validTo: '2025-01-01' };
    const kept = { topics: ['a'], memoryType: 'semantic', context: 'c', importance: 2, outcome: 'resolved' };
    await start({ content: 'the office is in Linz', ...times, ...kept });
    const { data } = (await put({ content: 'the office is in Graz' })).body;
    expect(data).toMatchObject(kept);
    expect(Object.keys(times).filter((field) => field in data)).toEqual([]);
    const path = '/api/memories/search?q=office+Graz&searchMethod=keyword';
    const ids = async (more = '') =>
      (await http.get<{ data: Data[] }>(`${path}${more}`)).body.data.map(({ id }) => id);
    expect(await ids()).toEqual([data.id]);
    expect(await ids('&eventTimeFrom=2026-11-01')).toEqual([data.id]);
    const again = await put({ content: 'the office is in Wels', eventTime: '2030-01-01', validTo: null });
    expect(again.body.data.eventTime).toBe('2030-01-01T00:00:00.000Z');
  });

  it('a named memory gets no version for what its newest version says, and a time of writing elsewhere', async () => {
    const { data: first } = (await start({ topics: ['a'], eventTime: '2026-01-01' })).body;
    const same = await put({ content: 'one', topics: ['a'], createdAt: '2026-02-01' });
    expect([same.status, same.body.data]).toEqual([200, first]);
    expect(same.body.meta).toEqual({ version: 1, existing: true });
    const other = await put({ content: 'one', topics: ['b'] });
    expect([other.status, other.body.meta.version]).toEqual([201, 2]);
    const two = await put({ content: 'two', createdAt: '2026-02-10T18:02:48.250Z' });
    expect(two.body.data).toMatchObject({ createdAt: '2026-02-10T18:02:48.250Z', topics: ['b'] });
    const again = await put({ content: 'two' });
    expect(again.body.meta).toEqual({ version: 3, previousVersionId: other.body.data.id, existing: true });
    expect((await put({ content: 'one' })).status).toBe(201);
    expect((await history()).versions).toHaveLength(4);
    expect((await put({ content: 'x', createdAt: '2999-01-01' })).status).toBe(422);
  });

  it('a named memory of an import gets versions of its later imports, unless it was changed here', async () => {
    await start({ content: 'mine' });
    const begin = async () =>
      (await http.post<{ data: Data }>('/api/imports', { source: 'export.zip' })).body.data.id;
    const imported = async (content: string) => {
      const id = await begin();
      const { status, body } = await http.put<Made>(`/api/memories/named/plan?importId=${id}`, { content });
      const [made] = (await http.get<{ data: Data[] }>('/api/imports')).body.data;
      return { id, status, meta: body.meta, made };
    };
    const first = await imported('Two cats.');
    expect([first.status, first.made]).toEqual([201, expect.objectContaining({ created: 1 })]);
    const second = await imported('Three cats.');
    expect(second.status).toBe(201);
    await put({ content: 'Two grey cats.' });
    const same = await imported('Three cats.');
    expect([same.status, same.meta.keptEdit, same.made?.unchanged]).toEqual([200, undefined, 1]);
    const changed = await imported('Four cats.');
    expect([changed.status, changed.meta.keptEdit, changed.made?.keptEdits]).toEqual([200, true, 1]);
    expect((await http.get<Made>('/api/memories/named/plan')).body.data.content).toBe('Two grey cats.');
    await http.delete(`/api/imports/${second.id}`);
    expect((await history()).versions.map(({ content }) => content)).toEqual([
      'Two grey cats.',
      'Two cats.',
      'mine',
    ]);
    const unknown = await http.put('/api/memories/named/plan?importId=none', { content: 'x' });
    expect(unknown.status).toBe(404);
  });

  it('an older export changes no named memory that a newer one wrote', async () => {
    const imported = async (name: string, createdAt: string, content: string) => {
      const { id } = (await http.post<{ data: Data }>('/api/imports', { source: 'export.zip' })).body.data;
      await http.post(`/api/memories/bulk?importId=${id}`, { memories: [{ content, name, createdAt }] });
      const { body } = await http.put<Made>(`/api/memories/named/${name}?importId=${id}`, {
        content,
        createdAt,
      });
      return body.data.content;
    };
    expect(await imported('cats', '2026-02-01', 'Two cats.')).toBe('Two cats.');
    expect(await imported('cats', '2026-01-01', 'One cat.')).toBe('Two cats.');
    expect(await imported('cats', '2026-03-01', 'Three cats.')).toBe('Three cats.');
    expect(await imported('cats', '2026-02-01', 'Two cats.')).toBe('Three cats.');
  });

  it('a named memory is not replaced from an old head', async () => {
    const made = await start();
    const second = await put({ content: 'two' });
    const stale = await put({ content: 'three', expectedHeadId: made.body.data.id });
    expect(stale.status).toBe(409);
    expect(stale.body).toMatchObject({
      code: 'MEMORY_HEAD_CONFLICT',
      details: { currentHeadId: second.body.data.id },
    });
    const old = { 'if-match': made.headers.get('etag') ?? '' };
    expect((await put({ content: 'three' }, old)).status).toBe(412);
    expect((await history()).versions).toHaveLength(2);
  });

  it('a new version of a named memory supersedes a further memory, which must exist', async () => {
    await start();
    const other = await http.post<Made>('/api/memories', { content: 'other' });
    expect((await put({ content: 'two', supersedes: other.body.data.id })).status).toBe(201);
    const seen = await http.get<Made>(`/api/memories/${other.body.data.id}`);
    expect(seen.body.data.effectiveState).toBe('superseded');
    expect((await put({ content: 'three', supersedes: randomUUID() })).status).toBe(404);
    expect((await put({ content: 'three', conversationId: 'conv_x' })).status).toBe(404);
    expect((await history()).versions).toHaveLength(2);
  });

  it('a named memory refuses bad fields', async () => {
    await start();
    expect((await put({})).status).toBe(422);
    expect((await put({ content: '' })).status).toBe(422);
    expect((await put({ content: 'x', topics: 'a' })).status).toBe(422);
    expect((await http.get('/api/memories/named/plan/history?limit=0')).status).toBe(422);
  });

  it('a named memory returns its name to the version before when its head is deleted', async () => {
    const { data: first } = (await start()).body;
    const second = await put({ content: 'two' });
    expect((await http.delete(`/api/memories/${second.body.data.id}`)).status).toBe(204);
    const head = await http.get<Made>('/api/memories/named/plan');
    expect(head.body.data).toMatchObject({ id: first.id, name: 'plan', effectiveState: 'current' });
    const found = await http.get<{ data: Data[] }>('/api/memories/search?q=one');
    expect(found.body.data.map(({ id }) => id)).toEqual([first.id]);
  });
});
