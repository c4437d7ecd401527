import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { awaitSteps } from '../support/await-steps.ts';
import { newDatabase } from '../support/database.ts';
import { type Client, client } from '../support/http-client.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { listOperations } from '../support/openapi.ts';
import { poll } from '../support/poll.ts';
import { hasPostgresPrograms, type PostgresServer, startPostgres } from '../support/postgres-servers.ts';
import { readRows } from '../support/run-statement.ts';
import { firstKey, runMemoryd, type Server, startServer } from '../support/server.ts';

interface Found {
  readonly data: readonly { readonly id: string; readonly content: string }[];
}

const searches = ['boat', 'who mends ships', 'harbour 13', 'Note 12: repairs'];
const contentOf = (i: number) => `Note ${i}: Ana repairs the ${i % 7} boat in harbour ${(i * 13) % 29}`;

/** As docs/operations.md says. */
describe.runIf(hasPostgresPrograms)('memoryd serve --read-only', () => {
  let primary: PostgresServer;
  let replica: PostgresServer;
  let writer: Server;
  let reader: Server;
  let writes: Client;
  let reads: Client;

  const serveReplica = () => {
    const env = { MEMORYD_API_KEY: firstKey(primary.url) };
    return startServer({ databaseUrl: replica.url, env, args: ['--read-only'] });
  };
  const found = async (http: Client) =>
    Promise.all(
      searches.map(async (q) => {
        const { status, body } = await http.post<Found>('/api/memories/search', { query: q });
        expect(status).toBe(200);
        return body.data.map(({ id }) => id);
      }),
    );
  const countOf = async (http: Client, word: string) =>
    (await http.get<Found>(`/api/memories/search?searchMethod=keyword&q=${word}`)).body.data.length;
  const replicated = (word: string) =>
    poll(`${word} is on the replica`, async () => ((await countOf(reads, word)) > 0 ? true : undefined));

  beforeAll(async () => {
    primary = await startPostgres();
    writer = await startServer({ databaseUrl: primary.url });
    writes = client(writer.url, writer.key);
    const memories = Array.from({ length: 30 }, (_, i) => ({ content: contentOf(i) }));
    expect((await writes.post('/api/memories/bulk', { memories })).status).toBe(200);
    await awaitSteps(writes, 50);
    replica = await primary.addReplica();
    reader = await serveReplica();
    reads = client(reader.url, writer.key);
  });
  afterAll(async () => {
    await Promise.all([writer.kill(), reader.kill()]);
    await Promise.all([replica.kill(), primary.kill()]);
  });

  it('answers as the primary does, what was just written too, and says how far it is behind', async () => {
    expect(await found(reads)).toEqual(await found(writes));
    await writes.post('/api/memories', { content: 'A lighthouse keeper counts the gulls.' });
    await replicated('lighthouse');
    await awaitSteps(writes, 50);
    expect(await found(reads)).toEqual(await found(writes));

    const { body: health } = await reads.get<{ checks: { store: object } }>('/health');
    expect(health.checks.store).toMatchObject({
      status: 'up',
      readOnly: true,
      replayLag: expect.any(Number),
    });
    const { body: system } = await reads.get<{ data: { database: object } }>('/api/system/health');
    expect(system.data.database).toMatchObject({ readOnly: true, replayLag: expect.any(Number) });
    expect((await writes.get<{ checks: { store: object } }>('/health')).body.checks.store).not.toHaveProperty(
      'readOnly',
    );
    const { text: metrics } = await reads.get('/metrics');
    expect(metrics).toMatch(/^memoryd_read_only 1$/m);
    expect(metrics).toMatch(/^memoryd_replay_lag_seconds [\d.e-]+$/m);

    const made = await writes.post<{ data: { apiKey: string; keyInfo: { id: string } } }>('/api/apikeys', {
      label: 'new',
    });
    expect(made.status).toBe(201);
    const byNewKey = client(reader.url, made.body.data.apiKey);
    const keyAnswers = (status: number) =>
      poll(`the new key gets ${status}`, async () =>
        (await byNewKey.get('/api/memories')).status === status ? true : undefined,
      );
    await keyAnswers(200);
    expect((await writes.delete(`/api/apikeys/${made.body.data.keyInfo.id}`)).status).toBeLessThan(300);
    await keyAnswers(401);

    const leases = await readRows(
      { engine: 'postgres', url: primary.url },
      'SELECT place FROM serving_leases',
    );
    expect(leases).toHaveLength(1);
  }, 180_000);

  it('refuses each change by one rule, and answers every read that the API has', async () => {
    const [{ id }] = (await reads.get<Found>('/api/memories')).body.data;
    const refusal = { status: 409, body: { code: 'STORAGE_READ_ONLY' } };
    expect(await reads.post('/api/memories', { content: 'Not here.' })).toMatchObject(refusal);
    expect(await reads.put(`/api/memories/${id}`, { content: 'Not here.' })).toMatchObject(refusal);
    expect(await reads.delete(`/api/memories/${id}`)).toMatchObject(refusal);
    const lines = {
      rawBody: '{"content":"Not here."}\n',
      headers: { 'content-type': 'application/x-ndjson' },
    };
    expect(await reads.send('POST', '/api/memories/bulk', lines)).toMatchObject(refusal);

    let answered = 0;
    for (const { method, path, example } of await listOperations(reads)) {
      const url = path.replace(/\{\w+\}/g, id);
      const reply = await reads.send(method, url, example === undefined ? {} : { body: example });
      const said = `${method} ${url} answered ${reply.status}: ${reply.text.slice(0, 300)}`;
      expect(reply.status, said).toBeLessThan(500);
      if (method === 'GET') expect(reply.body, said).not.toMatchObject({ code: 'STORAGE_READ_ONLY' });
      if (reply.status === 200) answered++;
    }
    expect(answered).toBeGreaterThan(50);
    expect(reader.output()).not.toMatch(/"level":(50|60)|"level":"(error|fatal)"/);
  }, 180_000);

  it('serves the reading tools of MCP, and tells an agent why the others fail', async () => {
    const mcp = await connectMcp({ url: reader.url, key: writer.key });
    for (const [name, args] of [
      ['recall', { task: 'repair a boat' }],
      ['search', { query: 'boat' }],
      ['recent', {}],
      ['topics', {}],
      ['build_context', { task: 'repair a boat' }],
    ] as const)
      expect((await mcp.result(name, args)).isError, name).not.toBe(true);
    const refused = await mcp.result('remember', { content: 'Not here.' });
    expect(refused).toMatchObject({ isError: true });
    expect(JSON.stringify(refused.content)).toMatch(/This service only reads .*STORAGE_READ_ONLY/);
    await mcp.close();
  }, 180_000);

  it('neither makes nor changes tables, and refuses an SQLite file', async () => {
    const serve = (url: string) => runMemoryd(url, ['serve', '--read-only']);
    const empty = new URL(primary.url);
    empty.pathname = '/template1';
    expect((await serve(empty.toString())).stderr).toContain(
      'The database has no store yet, and a service that only reads does not change it. Start `memoryd serve` of this version on the primary first.',
    );
    const file = await newDatabase('sqlite');
    expect((await serve(file.url)).stderr).toContain('--read-only serves a PostgreSQL database');
    await file.drop();
  }, 180_000);

  it('goes on when the primary is lost; promoted, the replica is served as any database', async () => {
    const before = await found(reads);
    await writer.kill();
    await primary.kill();
    expect(await found(reads)).toEqual(before);

    const refused = await runMemoryd(replica.url, ['serve']);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain(
      'The database is a replica, which takes no writes: serve it with `memoryd serve --read-only`',
    );
    expect((await runMemoryd(replica.url, ['check'])).stderr).toContain('The database is a replica');

    await replica.promote();
    writer = await startServer({ databaseUrl: replica.url, env: { MEMORYD_API_KEY: firstKey(primary.url) } });
    writes = client(writer.url, writer.key);
    expect(await found(writes)).toEqual(before);
    expect((await writes.post('/api/memories', { content: 'The spare lighthouse took over.' })).status).toBe(
      201,
    );
    await awaitSteps(writes, 50);
    expect((await runMemoryd(replica.url, ['check'])).code).toBe(0);
    // The reading service continues on the new primary.
    await replicated('lighthouse');
    expect(await reads.post('/api/memories', { content: 'Not here.' })).toMatchObject({ status: 409 });
    expect((await reads.get<{ checks: { store: object } }>('/health')).body.checks.store).toMatchObject({
      replayLag: 0,
    });
    // Uses of keys are not written at its end.
    expect(await reader.stop()).toBe(0);
    expect(reader.output()).not.toMatch(/"level":(50|60)|"level":"(error|fatal)"/);
  }, 180_000);
});
