import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { type Engine, engines } from '../support/database.ts';
import { type EmbeddingServer, startEmbeddingServer } from '../support/embedding-server.ts';
import { type Client, client } from '../support/http-client.ts';
import { poll } from '../support/poll.ts';

interface ApiResponse {
  data: { id: string; content: string; matchedVia: string[] }[];
  meta: { searchMethod: string; degraded?: boolean; branchFailures?: object[] };
}

const dimension = 384;
const puppies = 'We adopted two puppies from the shelter';
const moreLike = 'My sister adopted a puppy from that shelter';
const pets = 'which pets do we own';

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  await new Promise<void>((done) => server.close(() => done()));
  return port;
}

function appFor(engine: Engine, url: string, more: Record<string, string> = {}): Promise<AppFixture> {
  return newAppFixture(engine, {
    MEMORYD_EMBEDDER: 'openai',
    MEMORYD_EMBEDDER_URL: url,
    MEMORYD_EMBEDDER_MODEL: 'stand-in',
    MEMORYD_EMBEDDER_API_KEY: 'sk-not-to-be-seen',
    MEMORYD_EMBEDDER_DIMENSIONS: String(dimension),
    MEMORYD_LOG_LEVEL: 'info',
    ...more,
  });
}

async function search(http: Client, body: object): Promise<ApiResponse> {
  const reply = await http.post<ApiResponse>('/api/memories/search', { limit: 5, ...body });
  expect(reply.status).toBe(200);
  return reply.body;
}

const semantic = (http: Client) =>
  poll(`${puppies} is found by meaning`, async () => {
    const { data, meta } = await search(http, { query: pets, searchMethod: 'semantic' });
    return !meta.degraded && data.some(({ content }) => content === puppies) ? data : undefined;
  });

describe.each(engines)('a server that embeds, on %s', (engine) => {
  it('an embedding server may be unreachable when the service starts, which says so and recovers by itself', async () => {
    const port = await freePort();
    const app = await appFor(engine, `http://127.0.0.1:${port}/v1`);
    let server: EmbeddingServer | undefined;
    try {
      app.startUpkeep();
      const http = await app.newClient();
      const open = client(app.url);
      await http.post('/api/memories', { content: puppies, conversationId: 'NEW' });
      for (const searchMethod of ['hybrid', 'semantic', undefined]) {
        const { data, meta } = await search(http, { query: 'shelter', searchMethod });
        expect(data.map(({ content }) => content)).toEqual([puppies]);
        expect(meta).toMatchObject({ searchMethod: 'keyword', degraded: true });
        expect(meta.branchFailures).toEqual([{ name: 'semantic', status: 'error', reason: 'connection' }]);
      }
      const byWords = await search(http, { query: 'shelter', searchMethod: 'keyword' });
      expect(byWords.meta).not.toHaveProperty('degraded');

      await poll('the server is left alone', async () => {
        const { body } = await http.get<{ data: { embedding: { server: { state: string } } } }>(
          '/api/system/context/status',
        );
        return body.data.embedding.server.state === 'open' ? true : undefined;
      });
      const status = await http.get('/api/system/context/status');
      expect(status.body).toMatchObject({
        data: {
          embedding: {
            server: {
              model: 'stand-in',
              state: 'open',
              reason: 'the server cannot be reached (ECONNREFUSED)',
            },
          },
        },
      });
      const health = await open.get('/health');
      expect(health).toMatchObject({
        status: 200,
        body: { status: 'degraded', checks: { store: { status: 'up' }, embedder: { status: 'down' } } },
      });
      expect((await http.get('/api/system/health')).body).toMatchObject({
        data: { status: 'degraded', components: { embedder: { status: 'unhealthy' } } },
      });
      const away = await (await fetch(`${app.url}/metrics`)).text();
      expect(away).toContain('memoryd_embedder_state{state="open"} 1');
      expect(away).toMatch(/memoryd_embedder_requests_total\{outcome="failed"\} [1-9]/);

      server = await startEmbeddingServer({ dimension, port });
      await semantic(http);
      expect((await open.get('/health')).body).toMatchObject({ status: 'healthy' });
      const back = await (await fetch(`${app.url}/metrics`)).text();
      expect(back).toContain('memoryd_embedder_state{state="ok"} 1');
      expect(back).toMatch(/memoryd_embedder_request_seconds_count [1-9]/);
      const said = app.log.filter((line) => line.includes('"embedder"')).map((line) => JSON.parse(line));
      expect(said.map(({ level, embedder }) => [level, embedder.state])).toEqual([
        [40, 'failing'],
        [40, 'open'],
        [30, 'ok'],
      ]);
      expect(server.requests[0].authorization).toBe('Bearer sk-not-to-be-seen');
      expect(app.log.join('') + away + back + JSON.stringify(status.body)).not.toContain('sk-not-to-be-seen');
    } finally {
      await app.close();
      await server?.close();
    }
  });

  describe('that answers', () => {
    let server: EmbeddingServer;
    let app: AppFixture;
    let http: Client;
    beforeAll(async () => {
      server = await startEmbeddingServer({ dimension });
      app = await appFor(engine, server.url, { MEMORYD_EMBEDDER_QUERY_TIMEOUT_MS: '1000' });
      app.startUpkeep();
      http = await app.newClient();
      for (const content of [
        puppies,
        moreLike,
        'My dog likes the river',
        'The invoice of the electrician arrived',
      ])
        await http.post('/api/memories', { content, conversationId: 'NEW' });
      await semantic(http);
    });
    afterAll(async () => {
      await app.close();
      await server.close();
    });

    const embedded = (text: string) => server.requests.filter(({ input }) => input.includes(text)).length;

    it('an embedding server is asked once for the same query', async () => {
      const query = 'animals at home';
      const pages = await Promise.all([0, 1, 2].map((offset) => search(http, { query, offset })));
      for (const { meta } of [...pages, await search(http, { query, searchMethod: 'semantic' })])
        expect(meta).not.toHaveProperty('degraded');
      expect(embedded(query)).toBe(1);
    });

    it('an embedding server is not asked for memories similar to one', async () => {
      const { data } = await search(http, { query: `"${puppies}"`, searchMethod: 'keyword' });
      const before = server.requests.length;
      const path = `/api/memories/${data[0].id}/similar`;
      const reply = await poll('the puppy is similar', async () => {
        const { body } = await http.get<{ data: { memory: { content: string }; relationship: string }[] }>(
          path,
        );
        return body.data[0]?.relationship === 'similar' ? body : undefined;
      });
      expect(reply.data[0].memory.content).toBe(moreLike);
      expect(server.requests.slice(before).filter(({ input }) => input.includes(puppies))).toEqual([]);
    });

    it.each([
      [{ kind: 'hangs' }, { status: 'timeout', reason: 'timeout' }],
      [{ kind: 'drops' }, { status: 'error', reason: 'connection' }],
      [
        { kind: 'status', status: 500 },
        { status: 'error', reason: 'provider_error' },
      ],
      [{ kind: 'wrongDimension' }, { status: 'error', reason: 'provider_error' }],
      [{ kind: 'nan' }, { status: 'error', reason: 'provider_error' }],
    ] as const)(
      'an embedding server that fails later (%j) leaves searches to words, and they say why',
      async (behaviour, failure) => {
        server.always(behaviour);
        const query = `river ${behaviour.kind}`;
        const { data, meta } = await search(http, { query, searchMethod: 'semantic' });
        expect(data[0].content).toBe('My dog likes the river');
        expect(meta).toMatchObject({ searchMethod: 'keyword', degraded: true });
        expect(meta.branchFailures).toEqual([{ name: 'semantic', ...failure }]);
        // What is known of the server's earlier answers is still good.
        expect((await search(http, { query: pets, searchMethod: 'semantic' })).meta).not.toHaveProperty(
          'degraded',
        );
        server.always({ kind: 'answers' });
        await poll('searches are whole again', async () => {
          const again = await search(http, { query, searchMethod: 'semantic' });
          return again.meta.degraded ? undefined : again;
        });
      },
    );
  });
});
