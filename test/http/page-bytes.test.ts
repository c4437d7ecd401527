import { beforeAll, describe, expect, it } from 'vitest';
import { pageBytesMax } from '../../src/domain/shared/page-bytes.ts';
import { mapConcurrently } from '../support/concurrently.ts';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

interface Paged {
  readonly data: readonly { readonly id: string }[];
  readonly meta?: { readonly truncated?: true; readonly nextOffset?: number };
}

const memoriesCount = 40;
/** Takes six bytes a character as JSON: 240 kB. */
const content = (i: number) => `${i} large ${'\u0001'.repeat(40_000)}`;

describe.each(engines)('a page of large records on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  let ids: string[];
  let conversationId: string;
  beforeAll(async () => {
    http = await app.newClient();
    const first = await create(0, 'NEW');
    conversationId = first.conversationId;
    const others = await mapConcurrently(
      Array.from({ length: memoriesCount - 1 }, (_, i) => i + 1),
      4,
      (i) => create(i, conversationId),
    );
    ids = [first, ...others].map(({ id }) => id);
  });

  async function create(i: number, conversation: string) {
    const body = { content: content(i), conversationId: conversation, topics: ['large'] };
    const created = await http.post<{ data: { id: string; conversationId: string } }>('/api/memories', body);
    expect(created.status).toBe(201);
    return created.body.data;
  }

  /** Follows the pages from the first to the last. */
  async function readAll(ask: (offset: number) => ReturnType<typeof http.get<Paged>>, total = memoriesCount) {
    const seen: string[] = [];
    let pages = 0;
    for (let offset: number | undefined = 0; offset !== undefined; pages++) {
      const { status, text, body } = await ask(offset);
      expect(status).toBe(200);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(pageBytesMax);
      seen.push(...body.data.map(({ id }) => id));
      offset = body.meta?.nextOffset;
      expect(body.meta?.truncated).toBe(offset === undefined ? undefined : true);
    }
    expect(pages).toBeGreaterThan(1);
    expect(new Set(seen).size).toBe(total);
    expect(seen.length).toBe(total);
  }

  it.each([
    ['the list', '/api/memories?limit=1000'],
    ['a search by filter', '/api/memories/search?topics=large&limit=1000'],
    ['a search by words', '/api/memories/search?q=large&limit=1000&includeFacts=true'],
  ])('a page of %s ends early, says so and where it goes on', async (_, path) => {
    await readAll((offset) => http.get(`${path}&offset=${offset}`));
  });

  it('the timeline of a conversation ends early, says so and where it goes on', async () => {
    await readAll((offset) => http.get(`/api/conversations/${conversationId}/timeline?offset=${offset}`));
  });

  it('the timeline of a narrative ends early, says so and where it goes on', async () => {
    const thread = await http.post<{ data: { id: string } }>('/api/narratives', {
      title: 'large',
      rootMemoryId: ids[0],
    });
    for (const memoryId of ids.slice(1))
      await http.post(`/api/narratives/${thread.body.data.id}/memories`, { memoryId });
    await readAll(async (offset) => {
      const page = await http.get<{ data: { memory: { id: string } }[] } & Pick<Paged, 'meta'>>(
        `/api/narratives/${thread.body.data.id}/timeline?limit=1000&offset=${offset}`,
      );
      return { ...page, body: { ...page.body, data: page.body.data.map(({ memory }) => memory) } };
    });
  });

  it.each(['related', 'similar', 'conversation-memories'])(
    'a page of %s ends early and says so',
    async (kind) => {
      const page = await http.get<Paged>(`/api/memories/${ids[0]}/${kind}?limit=1000`);
      expect(Buffer.byteLength(page.text)).toBeLessThanOrEqual(pageBytesMax + content(0).length * 6);
      expect(page.body.meta).toEqual({ truncated: true });
    },
  );

  it('the memories around one are the nearest that fit', async () => {
    const page = await http.get<{ data: Record<'preceding' | 'following', { id: string }[]>; meta: unknown }>(
      `/api/memories/${ids[0]}/timeline?before=100&after=100`,
    );
    expect(page.body.meta).toEqual({ truncated: true });
    expect(page.body.data.following.length).toBeGreaterThan(20);
    expect(page.body.data.following.length).toBeLessThan(memoriesCount - 1);
  });

  it('several memories asked for by id name those that were left out', async () => {
    for (const detail of ['minimal', 'full']) {
      const page = await http.post<{ data: { id: string }[]; meta: { truncated: true; rest: string[] } }>(
        '/api/memories/batch',
        { ids, detail },
      );
      expect(Buffer.byteLength(page.text)).toBeLessThanOrEqual(pageBytesMax);
      expect(page.body.meta).toMatchObject({ truncated: true, found: memoriesCount, missing: [] });
      expect([...page.body.data.map(({ id }) => id), ...page.body.meta.rest]).toEqual(ids);
    }
  });

  it('an export ends early, and its headers say where it goes on', async () => {
    await readAll(async (offset) => {
      const page = await http.post<{ id: string }[]>('/api/memories/export', { limit: 1000, offset });
      const next = page.headers.get('x-next-offset');
      expect(page.headers.get('x-truncated')).toBe(next === null ? null : 'true');
      const meta = next === null ? undefined : { truncated: true as const, nextOffset: Number(next) };
      return { ...page, body: { data: page.body, meta } };
    });
  });

  it('the history of a name ends early, says so and where it goes on', async () => {
    const named = { name: 'large-one', content: content(0), conversationId: 'NEW' };
    const { status } = await http.post('/api/memories', named);
    expect(status).toBe(201);
    for (let i = 1; i < memoriesCount; i++)
      await http.put('/api/memories/named/large-one', { content: content(i) });
    await readAll(async (offset) => {
      const page = await http.get<{ versions: { id: string }[] } & Pick<Paged, 'meta'>>(
        `/api/memories/named/large-one/history?offset=${offset}`,
      );
      return { ...page, body: { data: page.body.versions, meta: page.body.meta } };
    });
  });

  it('a list of artifacts ends early, says so and where it goes on', async () => {
    for (let i = 0; i < 10; i++)
      await http.post('/api/artifacts', { content: '\u0001'.repeat(150_000), type: 'text' });
    await readAll((offset) => http.get(`/api/artifacts?limit=1000&offset=${offset}`), 10);
  });
});
