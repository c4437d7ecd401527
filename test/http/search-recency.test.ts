import { describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { useApp, useClient } from '../support/use-app.ts';

interface Found {
  readonly data: readonly {
    readonly content: string;
    readonly branchScores: Readonly<Record<string, number>>;
    readonly explanation?: { readonly contributingFactors: readonly string[] };
  }[];
}

const older = 'Postgres is the database of the ledger service.';
const newer = 'The ledger service moved its database to CockroachDB after the load test.';
const other = 'The cat of the neighbours sleeps on the warm bonnet of the car.';

describe.each(engines)('searches that prefer what is newer, on %s', (engine) => {
  const app = useApp(engine, { MEMORYD_DERIVE: 'false' });
  const http = useClient(app);

  const remember = async (content: string, eventTime: string) => {
    const reply = await http.post('/api/memories', { content, conversationId: 'NEW', eventTime });
    expect(reply.status).toBe(201);
  };
  const search = async (fields: object = {}) => {
    const query = 'Which database is the database of the ledger service?';
    const body = { query, explain: true, threshold: 0, ...fields };
    return (await http.post<Found>('/api/memories/search', body)).body.data;
  };
  const contents = async (fields?: object) => (await search(fields)).map(({ content }) => content);
  const writeAll = async () => {
    await remember(older, '2026-01-10T09:00:00Z');
    await remember(newer, '2026-03-10T09:00:00Z');
    await remember(other, '2026-04-10T09:00:00Z');
  };

  it.each(['hybrid', 'semantic', 'keyword'])(
    'a %s search puts the newer of two on the same matter first, and says so',
    async (searchMethod) => {
      await writeAll();
      expect((await contents({ searchMethod })).slice(0, 2)).toEqual([older, newer]);
      const [first, second] = await search({ searchMethod, recency: 1 });
      expect([first.content, second.content]).toEqual([newer, older]);
      expect(first.branchScores.newer).toBeGreaterThan(0);
      expect(second.branchScores.newer).toBe(0);
      expect(first.explanation?.contributingFactors.join('\n')).toContain(
        'newer than a result on the same matter',
      );
    },
  );

  it('what is newest of all and about something else is not put first', async () => {
    await writeAll();
    expect((await contents({ recency: 1 })).slice(0, 2)).toEqual([newer, older]);
  });

  it('a recency of 0 is none, and one beyond 0 to 1 is refused', async () => {
    await writeAll();
    expect(await contents({ recency: 0 })).toEqual(await contents());
    for (const recency of [-0.1, 1.1, 'much'])
      expect(await http.post('/api/memories/search', { query: 'ledger', recency })).toMatchObject({
        status: 422,
        text: expect.stringContaining('recency'),
      });
    const found = await http.get<Found>(
      '/api/memories/search?q=database%20of%20the%20ledger%20service&recency=1',
    );
    expect(found.body.data[0].content).toBe(newer);
  });

  it('what is said in the same hour is one state of affairs', async () => {
    await remember(older, '2026-01-10T09:00:00Z');
    await remember(newer, '2026-01-10T09:20:00Z');
    expect((await contents({ recency: 1 })).slice(0, 2)).toEqual([older, newer]);
  });
});

describe.each(engines)('searches that prefer what is newer, without vectors, on %s', (engine) => {
  const app = useApp(engine, { MEMORYD_EMBEDDER: 'none', MEMORYD_DERIVE: 'false' });
  const http = useClient(app);

  it('recency changes nothing where there are no vectors to compare', async () => {
    for (const content of [older, newer])
      await http.post('/api/memories', { content, conversationId: 'NEW' });
    const found = async (recency: number) =>
      (
        await http.post<Found>('/api/memories/search', { query: 'database of the ledger', recency })
      ).body.data.map(({ content }) => content);
    expect(await found(1)).toEqual(await found(0));
  });
});
