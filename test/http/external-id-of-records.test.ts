import { beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

interface Reply {
  data: Record<string, unknown> & { id: string };
  meta?: { existing: boolean };
  code: string;
  error: string;
  details: object;
}

/** A create of each kind of record; `changed` says something else under the same external id. */
const kinds = [
  {
    kind: 'conversation',
    post: (http: Client, body: object, headers?: Record<string, string>) =>
      http.post<Reply>('/api/conversations', { title: 'Balcony tomatoes', ...body }, headers),
    changed: { title: 'Another title' },
    path: '/api/conversations',
  },
  {
    kind: 'fact',
    post: (http: Client, body: object, headers?: Record<string, string>) =>
      http.post<Reply>(
        '/api/facts',
        { subject: 'Mirka', predicate: 'lives in', object: 'Turku', ...body },
        headers,
      ),
    changed: { object: 'Rauma' },
    path: '/api/facts',
  },
  {
    kind: 'artifact',
    post: (http: Client, body: object, headers?: Record<string, string>) =>
      http.post<Reply>('/api/artifacts', { content: '- wool socks', type: 'list', ...body }, headers),
    changed: { content: '- ski wax' },
    path: '/api/artifacts',
  },
] as const;

describe.each(engines)('external ids of conversations, facts and artifacts on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  beforeAll(async () => {
    http = await app.newClient();
  });

  const idsOf = async (path: string, externalId: string, by = http) =>
    (
      await by.get<{ data: { id: string }[] }>(`${path}?externalId=${encodeURIComponent(externalId)}`)
    ).body.data.map(({ id }) => id);

  it.each(kinds)(
    'a second create of a $kind with an external id writes nothing and answers the first',
    async (of) => {
      const externalId = `elsewhere/${of.kind}`;
      const first = await of.post(http, { externalId });
      expect([first.status, first.body.data.externalId, first.body.meta]).toEqual([
        201,
        externalId,
        undefined,
      ]);
      const second = await of.post(http, { externalId, ...of.changed });
      expect([second.status, second.body.data, second.body.meta]).toEqual([
        200,
        first.body.data,
        { existing: true },
      ]);
      expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
      expect(await idsOf(of.path, externalId)).toEqual([first.body.data.id]);
      expect(await idsOf(of.path, 'elsewhere/none')).toEqual([]);
      const other = await app.newClient();
      expect(await idsOf(of.path, externalId, other)).toEqual([]);
      expect((await of.post(other, { externalId })).status).toBe(201);
    },
  );

  it.each(kinds)('one $kind is made by many creates at the same time with one external id', async (of) => {
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => of.post(http, { externalId: `race/${of.kind}` })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201]);
    expect(new Set(replies.map(({ body }) => body.data.id)).size).toBe(1);
  });

  it.each(kinds)(
    'the external id of a $kind is kept in the trash, and free once that is erased',
    async (of) => {
      const externalId = `gone/${of.kind}`;
      const { id } = (await of.post(http, { externalId })).body.data;
      await http.delete(`${of.path}/${id}`);
      expect(await idsOf(of.path, externalId)).toEqual([]);
      const refused = await of.post(http, { externalId });
      expect([refused.status, refused.body.code, refused.body.details]).toEqual([
        409,
        `${of.kind.toUpperCase()}_IN_TRASH`,
        { [`${of.kind}Id`]: id },
      ]);
      const [entry] = (await http.get<{ data: { id: string }[] }>('/api/trash')).body.data;
      await http.delete(`/api/trash/${entry?.id}`);
      expect((await of.post(http, { externalId })).status).toBe(201);
    },
  );

  it.each(kinds)(
    'a repeat of a create of a $kind with an Idempotency-Key gets the response that it got',
    async (of) => {
      const externalId = `keyed/${of.kind}`;
      const headers = (key: string) => ({ 'Idempotency-Key': `${of.kind}-${engine}-${key}` });
      for (const [key, status] of [
        ['a', 201],
        ['b', 200],
      ] as const) {
        const first = await of.post(http, { externalId }, headers(key));
        const again = await of.post(http, { externalId }, headers(key));
        expect([first.status, again.status, again.text]).toEqual([status, status, first.text]);
      }
    },
  );

  it.each(kinds)('external ids of a $kind have 1 to 200 characters', async (of) => {
    for (const externalId of ['', 'x'.repeat(201), 7]) {
      const { status, body } = await of.post(http, { externalId });
      expect([status, body.error]).toEqual([422, expect.stringMatching(/^externalId must /)]);
    }
  });

  it('artifacts and facts of a deleted memory count as deleted', async () => {
    const { id } = (await http.post<Reply>('/api/memories', { content: 'x', conversationId: 'NEW' })).body
      .data;
    await http.post('/api/facts', {
      subject: 'a',
      predicate: 'b',
      object: 'c',
      memoryId: id,
      externalId: 'of-memory',
    });
    await http.post('/api/artifacts', { content: 'x', type: 'y', memoryId: id, externalId: 'of-memory' });
    await http.delete(`/api/memories/${id}`);
    expect((await kinds[1].post(http, { externalId: 'of-memory' })).body.code).toBe('FACT_IN_TRASH');
    expect((await kinds[2].post(http, { externalId: 'of-memory' })).body.code).toBe('ARTIFACT_IN_TRASH');
  });

  it('a conversation from elsewhere has a title, an agent session, a time, a summary and metadata', async () => {
    const stated = {
      title: 'New chat',
      summary: 'About tomatoes.',
      agentSessionId: 'session-7',
      createdAt: '2026-02-10T18:02:48.250Z',
      metadata: { source: 'chatgpt' },
    };
    const made = await http.post<Reply>('/api/conversations', { ...stated, externalId: 'chatgpt:1' });
    expect([made.status, made.body.data]).toEqual([
      201,
      expect.objectContaining({ ...stated, externalId: 'chatgpt:1', lastActivityAt: stated.createdAt }),
    ]);
    const twin = await http.post<Reply>('/api/conversations', { ...stated, externalId: 'chatgpt:2' });
    expect([twin.status, twin.body.data.id === made.body.data.id]).toEqual([201, false]);
    await http.post('/api/memories', {
      content: 'Pick a cherry type.',
      conversationId: made.body.data.id,
      createdAt: '2026-02-10T18:04:02.750Z',
    });
    const joined = await http.post<{ meta: { conversationId: string } }>('/api/memories', {
      content: 'Written live.',
      agentSessionId: 'session-7',
    });
    expect(joined.body.meta.conversationId).toBe(made.body.data.id);
    const shown = (await http.get<Reply>(`/api/conversations/${made.body.data.id}`)).body.data;
    expect(shown).toMatchObject({ ...stated, memoryCount: 2 });
    const future = await http.post<Reply>('/api/conversations', { title: 'x', createdAt: '2999-01-01' });
    expect([future.status, future.body.error]).toEqual([422, 'createdAt must not be in the future']);
    const metadata = { large: 'x'.repeat(17_000) };
    expect((await http.post('/api/conversations', { title: 'x', metadata })).status).toBe(422);
  });

  it.each(kinds)('a $kind of an import of another user is answered like one of none', async (of) => {
    const other = await app.newClient();
    const { id } = (await other.post<Reply>('/api/imports', { source: 's' })).body.data;
    const shown = ({ text }: { text: string }) => text.replace(/"requestId":"[^"]*"/, '');
    const create = (importId: string) =>
      http.post<Reply>(`${of.path}?importId=${importId}`, {
        title: 't',
        subject: 'a',
        predicate: 'b',
        object: 'c',
        content: 'c',
        type: 't',
      });
    const [foreign, none] = [await create(id), await create('00000000-0000-4000-8000-000000000000')];
    expect([foreign.status, foreign.body.code]).toEqual([404, 'IMPORT_NOT_FOUND']);
    expect(shown(foreign)).toBe(shown(none));
  });
});
