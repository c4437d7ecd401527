import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

type Data = Record<string, unknown> & { id: string };

describe.each(engines)('many memories at once on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  let ids: string[];
  const unknown = randomUUID();
  const notFound = { id: unknown, error: 'No such memory.' };

  beforeEach(async () => {
    http = await app.newClient();
    ids = [];
    for (const content of ['one', 'two', 'three']) {
      const made = await http.post<{ data: Data }>('/api/memories', { content, topics: ['old'] });
      ids.push(made.body.data.id);
    }
  });

  const read = async () =>
    (await http.post<{ data: Data[]; meta: unknown }>('/api/memories/batch', { ids })).body;

  it('many memories are read in the order asked for, each once, and what is missing is named', async () => {
    const asked = [ids[2], unknown, ids[0], ids[2], '', 'x'.repeat(300)];
    const reply = await http.post<{ data: Data[]; meta: unknown }>('/api/memories/batch', { ids: asked });
    expect(reply.status).toBe(200);
    expect(reply.body.data.map(({ id }) => id)).toEqual([ids[2], ids[0]]);
    expect(reply.body.data[0]).not.toHaveProperty('relationships');
    expect(reply.body.meta).toEqual({ requested: 6, found: 2, missing: [unknown, '', 'x'.repeat(300)] });
    const malformed = ['a\u0000b', 'half \ud800', '%', '{}', '__proto__'];
    const around = await http.post<{ data: Data[]; meta: { missing: string[] } }>('/api/memories/batch', {
      ids: [ids[0], ...malformed],
    });
    expect([around.status, around.body.data.map(({ id }) => id)]).toEqual([200, [ids[0]]]);
    expect(around.body.meta).toEqual({ requested: 6, found: 1, missing: malformed });
    expect((await http.post('/api/memories/batch', { ids, detail: 'a\u0000b' })).status).toBe(422);
    const full = await http.post<{ data: Data[] }>('/api/memories/batch', { ids: asked, detail: 'full' });
    expect(full.body.data[0]).toMatchObject({ relationships: [], conversationContext: { position: 3 } });
  });

  it('many memories are deleted when that is confirmed, and those that were not found are named', async () => {
    const reply = await http.delete('/api/memories/bulk', {
      ids: [ids[0], unknown, ids[0]],
      confirmDeletion: true,
    });
    expect(reply.body).toEqual({ deleted: 1, failed: 1, errors: [notFound] });
    expect((await read()).meta).toEqual({ requested: 3, found: 2, missing: [ids[0]] });
  });

  it.each([{}, { confirmDeletion: false }, { confirmDeletion: 'true' }, { confirmDeletion: 1 }])(
    'many memories stay when deletion comes with %j',
    async (confirmation) => {
      const reply = await http.delete('/api/memories/bulk', { ids, ...confirmation });
      expect(reply.status).toBe(422);
      expect(reply.body.error).toMatch(/^confirmDeletion /);
      expect((await read()).meta).toEqual({ requested: 3, found: 3, missing: [] });
    },
  );

  it('many memories are tagged at once', async () => {
    const reply = await http.post('/api/memories/bulk-tag', {
      ids: [...ids, unknown],
      addTopics: ['new'],
      removeTopics: ['OLD'],
    });
    expect(reply.body).toEqual({ modified: 3, failed: 1, errors: [notFound] });
    expect((await read()).data.map(({ topics }) => topics)).toEqual([['new'], ['new'], ['new']]);
    const found = await http.get<{ data: Data[] }>('/api/memories?topics=new');
    expect(found.body.data).toHaveLength(3);
  });

  it('many memories get all that a PUT of one memory may change, but a name', async () => {
    const updates = {
      ...{ content: 'rewritten', topics: ['b', 'a'], memoryType: 'semantic', context: 'ctx', role: 'user' },
      ...{ outcome: 'resolved', importance: 2, taskId: 't-1', codeContext: { product: 'p' } },
      eventTime: '2024-05-01T10:00:00.000Z',
      validFrom: '2024-05-01T00:00:00.000Z',
      validTo: '2034-05-01T00:00:00.000Z',
    };
    const reply = await http.post('/api/memories/bulk-update', { ids: [...ids, unknown], updates });
    expect(reply.body).toEqual({ updated: 3, failed: 1, errors: [notFound] });
    for (const memory of (await read()).data) expect(memory).toMatchObject(updates);
  });

  it('many memories fail one by one where what is given breaks a rule with what they state', async () => {
    await http.put(`/api/memories/${ids[1]}`, { validFrom: '2030-01-01' });
    const body = { ids, updates: { validTo: '2026-01-01' } };
    const reply = await http.post<{ updated: number; errors: { id: string }[] }>(
      '/api/memories/bulk-update',
      body,
    );
    expect(reply.body).toMatchObject({ updated: 2, failed: 1, errors: [{ id: ids[1] }] });
  });

  it.each([
    ['/api/memories/batch', {}],
    ['/api/memories/bulk-tag', { addTopics: ['x'] }],
    ['/api/memories/bulk-update', { updates: { topics: [] } }],
  ])('many memories are 1 to 100 for %s', async (path, rest) => {
    for (const wrong of [[], Array(101).fill(unknown), [5], 'x', undefined]) {
      expect((await http.post(path, { ids: wrong, ...rest })).status).toBe(422);
    }
    expect((await http.post(path, { ids: Array(100).fill(unknown), ...rest })).status).toBe(200);
  });

  it.each([
    ['/api/memories/bulk-tag', {}],
    ['/api/memories/bulk-tag', { addTopics: [], removeTopics: [] }],
    ['/api/memories/bulk-tag', { addTopics: ['x'.repeat(101)] }],
    ['/api/memories/bulk-update', {}],
    ['/api/memories/bulk-update', { updates: {} }],
    ['/api/memories/bulk-update', { updates: { content: ' ' } }],
    ['/api/memories/bulk-update', { updates: { name: 'plan' } }],
    ['/api/memories/bulk-update', { updates: { name: null, topics: ['a'] } }],
    ['/api/memories/bulk-update', { updates: { eventTime: 'soon' } }],
    ['/api/memories/bulk-update', { updates: { unknown: 1 } }],
    ['/api/memories/bulk-update', { updates: { memoryType: 'odd' } }],
    ['/api/memories/bulk-update', { updates: { topics: Array(51).fill('x') } }],
  ])('many memories stay unchanged for %s with %j', async (path, rest) => {
    const before = await read();
    expect((await http.post(path, { ids, ...rest })).status).toBe(422);
    expect(await read()).toEqual(before);
  });
});
