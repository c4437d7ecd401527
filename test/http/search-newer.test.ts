import { describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import { useApp, useClient } from '../support/use-app.ts';

interface Hit {
  readonly id: string;
  readonly newer?: string;
  readonly score?: number;
}

describe.each(engines)('searches that find a memory of which a part is outdated, on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);

  it('what replaces the part comes first, and facts of the part are left out', async () => {
    const write = async (content: string) =>
      (await http.post<{ data: { id: string } }>('/api/memories', { content, conversationId: 'NEW' })).body
        .data.id;
    const older = await write('The nightly job invoice-export runs at 02:00 UTC and takes about 40 minutes.');
    await deriveAll(app.services);
    const query = 'how long does the nightly job invoice-export take';
    const facts = async (extra: object = {}) =>
      (
        await http.post<{ data: { object: string }[] }>('/api/facts/search', {
          query: 'export 40 minutes',
          ...extra,
        })
      ).body.data.map(({ object }) => object);
    const said = await facts();
    expect(said.join()).toContain('40 minutes');
    const newer = await write(
      'invoice-export takes 9 minutes now instead of 40, since the joins have an index.',
    );
    await deriveAll(app.services);
    for (const searchMethod of ['hybrid', 'keyword']) {
      const { body } = await http.post<{ data: Hit[] }>('/api/memories/search', { query, searchMethod });
      expect(body.data).toMatchObject([{ id: newer }, { id: older, newer }]);
    }
    expect((await facts()).join()).not.toContain('40 minutes');
    expect((await facts({ includeSuperseded: true })).join()).toContain('40 minutes');
    const byFacts = { query: '40 minutes', mode: 'facts' };
    const { body } = await http.post<{ data: Hit[] }>('/api/memories/search', byFacts);
    expect(body.data.map(({ id }) => id)).not.toContain(older);
    const graph = await http.post<{ data: { results: Hit[] } }>('/api/graphrag/query', { query });
    expect(graph.text.indexOf(newer)).toBeLessThan(graph.text.indexOf(older));
    await http.delete(`/api/memories/${newer}`);
    expect((await facts()).join()).toContain('40 minutes');
  });
});

describe.each(engines)('searches that find outdated memories too, on %s', (engine) => {
  const app = useApp(engine, { MEMORYD_DERIVE: 'false' });
  const http = useClient(app);

  const write = async (content: string, extra: object = {}) => {
    const body = { content, conversationId: 'NEW', ...extra };
    const made = await http.post<{ data: { id: string } }>('/api/memories', body);
    expect([made.status, made.text]).toEqual([201, made.text]);
    return made.body.data.id;
  };
  const search = async (query: string, extra: object = {}) => {
    const body = { query, includeSuperseded: true, ...extra };
    return (await http.post<{ data: Hit[] }>('/api/memories/search', body)).body.data;
  };

  it.each(['hybrid', 'semantic', 'keyword'])(
    'a %s search ranks what replaces another result before it, and marks the older one',
    async (searchMethod) => {
      const older = await write('The gateway timeout of the gateway defaults to 30 seconds.');
      const newer = await write(
        'Since the incident the timeout of that gateway is 90 seconds, and retries are off.',
        {
          supersedes: older,
        },
      );
      for (const detail of ['standard', 'minimal']) {
        const found = await search('gateway timeout defaults to seconds', { searchMethod, detail });
        expect(found.map(({ id }) => id)).toEqual([newer, older]);
        expect(found.map((hit) => hit.newer)).toEqual([undefined, newer]);
      }
      const [first, second] = await search('gateway timeout defaults to seconds', { searchMethod });
      expect(first.score).toBeGreaterThan(second.score ?? 0);
    },
  );

  it('each of three that replace one another comes before what it replaces', async () => {
    const first = await write('Standup is at 9.');
    const second = await write('Standup moved to 10, and the standup room changed with it.', {
      supersedes: first,
    });
    const third = await write('From Monday on standup is at 11, which suits everybody in the team better.', {
      supersedes: second,
    });
    expect((await search('standup at 9')).map(({ id }) => id)).toEqual([third, second, first]);
  });

  it('versions of a name come newest first, each marked with the newest', async () => {
    const first = await write('Release plan: beta on Monday.', { name: 'plan' });
    const version = async (content: string) =>
      (await http.put<{ data: { id: string } }>('/api/memories/named/plan', { content })).body.data.id;
    const second = await version('Release plan: beta on Tuesday, after the review of the release.');
    const third = await version('The release plan changed: beta on Friday, since the review takes longer.');
    const found = await search('release plan beta on Monday');
    expect(found.map(({ id }) => id)).toEqual([third, second, first]);
    expect(found.map(({ newer }) => newer)).toEqual([undefined, third, third]);
  });

  it('a result without its newer one is marked, but not with one in the trash', async () => {
    const older = await write('The blue key opens the shed.');
    const newer = await write('Nothing about sheds any more.', { supersedes: older });
    expect(await search('blue key')).toMatchObject([{ id: older, newer }]);
    await http.delete(`/api/memories/${newer}`);
    expect((await search('blue key'))[0]).not.toHaveProperty('newer');
  });
});
