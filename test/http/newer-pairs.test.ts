import { describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { useApp } from '../support/use-app.ts';

interface Hit {
  readonly id: string;
  readonly newer?: string;
}

const pairs = [
  ['The closed beta of Kestrel starts on 24 November.', 'Beta date: 4 December.', 'when does the beta start'],
  [
    'Todo: POST /api/swaps has no rate limit yet.',
    'Done: POST /api/swaps is limited to 20 requests a minute for each user (WR-88).',
    'does POST /api/swaps have a rate limit',
  ],
  [
    'Margarethe designs the screens; ask her before changing a colour or an icon.',
    'Margarethe is on parental leave until June; ask Tobias about colours, icons and layout until then.',
    'whom do I ask before I change an icon?',
  ],
] as const;

describe.each(engines)('two memories on the same matter in one response on %s', (engine) => {
  const app = useApp(engine);

  const stored = async (texts: readonly string[]) => {
    const http = await app.newClient();
    const ids: string[] = [];
    for (const [i, content] of texts.entries()) {
      const body = { content, conversationId: 'NEW', eventTime: `2026-03-0${i + 1}T10:00:00Z` };
      ids.push((await http.post<{ data: { id: string } }>('/api/memories', body)).body.data.id);
    }
    return { http, ids };
  };

  it.each(pairs)(
    'a search by any method has the newer one first and marks the older, before anything was derived: %s',
    async (older, newer, query) => {
      const { http, ids } = await stored([older, newer, 'The canteen has soup on Mondays.']);
      for (const searchMethod of ['hybrid', 'keyword', 'semantic']) {
        const { body } = await http.post<{ data: Hit[] }>('/api/memories/search', {
          query,
          searchMethod,
          threshold: 0,
        });
        const found = body.data.filter(({ id }) => id === ids[0] || id === ids[1]);
        expect(found.map(({ id, newer: by }) => [id, by])).toEqual([
          [ids[1], undefined],
          [ids[0], ids[1]],
        ]);
      }
    },
  );

  it('a digest says the newer one with the older as its history, and contexts, graph answers and recall mark the older', async () => {
    const [older, newer, query] = pairs[0];
    const { http, ids } = await stored([older, newer]);
    await deriveAll(app.services);
    const digest = await http.post<{ digest: string }>('/api/memories/digest', { query });
    expect(digest.body.digest).toMatch(/Beta date: 4 December\..*\(2026-03-01\): .*24 November/);
    const context = await http.post<{ relevantMemories: Hit[] }>('/api/memories/build-context', {
      context: query,
    });
    const graph = await http.post<{ data: { results: { memory: Hit; newer?: string }[] } }>(
      '/api/graphrag/query',
      {
        query,
      },
    );
    const agent = await connectMcp(http);
    const recalled = await agent.call<{ relevant: Hit[] }>('recall', { task: query });
    await agent.close();
    const short = ids.map((id) => id.slice(0, 8));
    const marks = (hits: readonly Hit[]) =>
      hits.map(({ id, newer: by }) => [id.slice(0, 8), by?.slice(0, 8)]);
    const expected = [
      [short[1], undefined],
      [short[0], short[1]],
    ];
    expect(marks(context.body.relevantMemories)).toEqual(expected);
    expect(marks(graph.body.data.results.map((hit) => ({ id: hit.memory.id, newer: hit.newer })))).toEqual(
      expected,
    );
    expect(marks(recalled.relevant)).toEqual(expected);
  });

  it('memories on different matters keep their order and have no mark', async () => {
    const { http } = await stored([
      'The lease of the office ends on 31 August.',
      'The lease of the car ends on 30 April.',
    ]);
    const { body } = await http.post<{ data: Hit[] }>('/api/memories/search', {
      query: 'when does the lease end',
    });
    expect(body.data.map(({ newer }) => newer)).toEqual([undefined, undefined]);
  });
});
