import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newDatabase, type TestDatabase } from '../support/database.ts';
import { type Server, startServer } from '../support/server.ts';
import { runCli, serviceEnv } from './run-cli.ts';

describe('memoryd webhooks', () => {
  let database: TestDatabase;
  let server: Server;
  let status = 200;
  const receiver = createServer((_, response) => response.writeHead(status).end());
  beforeAll(async () => {
    database = await newDatabase('sqlite');
    server = await startServer({ databaseUrl: database.url, env: { MEMORYD_WEBHOOKS_PRIVATE: 'true' } });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
    receiver.close();
  });

  it('memoryd webhooks creates, lists, tests, redelivers and deletes', async () => {
    const run = async (...words: string[]) => runCli(['webhooks', ...words], { env: serviceEnv(server) });
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const made = await run('create', url, '--label', 'mine', '--kind', 'memory', '--kind', 'fact');
    expect(made.code, made.stderr).toBe(0);
    const [, id] = /^(\S+) {2}whsec_\S+\n$/.exec(made.stdout) ?? [];
    expect((await run('list')).stdout).toMatch(new RegExp(`${id} +${url} +mine +memory, fact +all`));
    expect(await run('test', id)).toMatchObject({ code: 0, stdout: 'It arrived (200).\n' });
    status = 500;
    expect(await run('test', id)).toMatchObject({ code: 1, stdout: 'It did not arrive: status 500.\n' });
    status = 200;
    const { data } = JSON.parse((await run('deliveries', id, '--json')).stdout);
    expect(data.map(({ state }: { state: string }) => state)).toEqual(['waiting', 'delivered']);
    expect((await run('redeliver', id, data[0].id)).stdout).toBe('Sent again: 1.\n');
    expect((await run('redeliver', id)).stdout).toBe('Sent again: 0.\n');
    expect((await run('delete', id)).stdout).toBe(`Deleted ${id}.\n`);
    expect((await run('list')).stderr).toContain('There are no webhooks.');
    expect((await run('test', id)).code).toBe(1);
    expect((await run('create', 'ftp://x')).stderr).toContain('must begin with https://');
  });
});
