import { beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

interface ApiResponse {
  data: { content: string }[];
  meta: { timeRead?: unknown };
}

describe.each(engines)('the time that a search reads on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  beforeAll(async () => {
    http = await app.newClient();
    const content = 'The heron nests in the oak';
    await http.post('/api/memories', { conversationId: 'NEW', content, eventTime: '2026-05-14' });
  });

  const search = async (query: string, more: object = {}) =>
    (await http.post<ApiResponse>('/api/memories/search', { query, ...more })).body;

  it('the time that a search reads is named in its response, by GET and by POST', async () => {
    const timeRead = {
      from: '2026-05-01T00:00:00.000Z',
      to: '2026-06-01T00:00:00.000Z',
      text: 'in May 2026',
    };
    expect((await search('the heron in May 2026')).meta).toMatchObject({ timeRead });
    expect((await search('the heron in May 2026')).meta.timeRead).not.toHaveProperty('hasMemories');
    const path = '/api/memories/search?q=the%20heron%20in%20May%202026';
    expect((await http.get<ApiResponse>(path)).body.meta).toMatchObject({ timeRead });
  });

  it('the times that a search reads are all named, in the order of the query', async () => {
    expect((await search('herons on 3 June 2025 or in summer 2026')).meta.timeRead).toEqual({
      from: '2025-06-03T00:00:00.000Z',
      to: '2025-06-04T00:00:00.000Z',
      text: 'on 3 June 2025',
      hasMemories: false,
      further: [{ from: '2026-06-01T00:00:00.000Z', to: '2026-09-01T00:00:00.000Z', text: 'in summer 2026' }],
    });
  });

  it.each([
    ['a heron', {}],
    ['the note "back in May 2026"', {}],
    ['herons in May 2026', { mode: 'facts' }],
  ])('a search for %s names no time', async (query, more) => {
    expect((await search(query, more)).meta).not.toHaveProperty('timeRead');
  });
});
