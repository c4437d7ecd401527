import { describe, expect, it } from 'vitest';
import { runCli } from '../cli/run-cli.ts';
import { engines, newDatabase } from '../support/database.ts';
import { type Client, client } from '../support/http-client.ts';
import { poll } from '../support/poll.ts';
import { startServer } from '../support/server.ts';

const content = 'Ana: I moved to Lisbon in March and work for Nordlicht now.';

type Entities = { data: { id: string; name: string }[] };
type Detail = { data: { extractionStatus: string; extractionCompletedAt?: string } };

const entitiesOf = async (http: Client) =>
  (await http.get<Entities>('/api/entities')).body.data.map(({ id, name }) => `${name} ${id}`).sort();

describe.each(engines)('memoryd derive on %s', (engine) => {
  it('memoryd derive derives what waits without a service, and with --redo everything again while one runs', async () => {
    const database = await newDatabase(engine);
    const env = { MEMORYD_DATABASE_URL: database.url };
    const off = await startServer({ databaseUrl: database.url, env: { MEMORYD_DERIVE: 'false' } });
    const created = await client(off.url, off.key).post<{ data: { id: string } }>('/api/memories', {
      content,
    });
    expect(created.status).toBe(201);
    await off.stop();

    const done = { code: 0, stdout: 'All memories went through derivation.\n', stderr: '' };
    expect(await runCli(['derive'], { env })).toEqual(done);

    const server = await startServer({
      databaseUrl: database.url,
      env: { MEMORYD_API_KEY: off.key },
    });
    const http = client(server.url, off.key);
    const detail = async () =>
      (await http.get<Detail>(`/api/memories/${created.body.data.id}?detail=full`)).body.data;
    const [first, entities] = [await detail(), await entitiesOf(http)];
    expect(first.extractionStatus).toBe('completed');
    expect(entities.map((entity) => entity.split(' ')[0])).toEqual(['Ana', 'Lisbon', 'Nordlicht']);

    expect(await runCli(['derive', '--redo'], { env })).toEqual(done);
    const again = await detail();
    expect(again.extractionStatus).toBe('completed');
    expect(Date.parse(again.extractionCompletedAt ?? '')).toBeGreaterThan(
      Date.parse(first.extractionCompletedAt ?? ''),
    );
    expect(await entitiesOf(http)).toEqual(entities);
    await server.stop();
    await database.drop();
  });

  it('memoryd derive --redo --user derives the memories of that user again, and none of others', async () => {
    const database = await newDatabase(engine);
    const env = { MEMORYD_DATABASE_URL: database.url };
    const server = await startServer({ databaseUrl: database.url });
    const { stdout } = await runCli(['keys', 'create', '--user', 'other'], { env });
    const keys = [server.key, /cmk_live_\S+/.exec(stdout)?.[0] ?? ''];
    const detailOf = await Promise.all(
      keys.map(async (key) => {
        const http = client(server.url, key);
        const { body } = await http.post<{ data: { id: string } }>('/api/memories', { content });
        return async () =>
          (await http.get<Detail>(`/api/memories/${body.data.id}?detail=full`)).body.data
            .extractionCompletedAt;
      }),
    );
    const details = () => Promise.all(detailOf.map((detail) => detail()));
    const [own, others] = await poll('both are derived', async () => {
      const at = await details();
      return at.every((each) => typeof each === 'string') ? at : undefined;
    });
    const done = { code: 0, stdout: 'All memories went through derivation.\n', stderr: '' };
    expect(await runCli(['derive', '--redo', '--user', 'other'], { env })).toEqual(done);
    const [ownAfter, othersAfter] = await details();
    expect(ownAfter).toBe(own);
    expect(Date.parse(othersAfter ?? '')).toBeGreaterThan(Date.parse(others ?? ''));
    await server.stop();
    await database.drop();
  });

  it('memoryd derive refuses a user that is not there, and a user without --redo', async () => {
    const database = await newDatabase(engine);
    const env = { MEMORYD_DATABASE_URL: database.url };
    const unknown = await runCli(['derive', '--redo', '--user', 'nobody'], { env });
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('no user named nobody')]);
    const alone = await runCli(['derive', '--user', 'nobody'], { env });
    expect([alone.code, alone.stderr]).toEqual([1, expect.stringContaining('--redo')]);
    await database.drop();
  });

  it('memoryd derive says so where derivation is switched off', async () => {
    const database = await newDatabase(engine);
    const env = { MEMORYD_DATABASE_URL: database.url, MEMORYD_DERIVE: 'false' };
    const { code, stderr } = await runCli(['derive'], { env });
    expect([code, stderr]).toEqual([1, expect.stringContaining('MEMORYD_DERIVE is false')]);
    await database.drop();
  });
});
