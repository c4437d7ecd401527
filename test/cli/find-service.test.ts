import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sqlitePath } from '../support/database.ts';
import { newDatabase, startServer } from '../support/server.ts';
import { useServer } from '../support/use-server.ts';
import { runCli, serviceEnv } from './run-cli.ts';

describe('a command that asks a service', () => {
  const server = useServer('sqlite');

  const own = () => ({ MEMORYD_DATABASE_URL: server.databaseUrl, MEMORYD_PORT: new URL(server.url).port });

  it('a command that asks a service finds the service of this machine, and the key that its first start left', async () => {
    expect(await runCli(['recent'], { env: own() })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^memoryd: No API key: give --key or MEMORYD_KEY \(there is no .*first-key\)/,
      ),
    });
    const path = join(dirname(sqlitePath(server.databaseUrl)), 'first-key');
    writeFileSync(path, `${server.key}\n`);
    expect(await runCli(['add', 'found by itself'], { env: own() })).toMatchObject({ code: 0 });
    expect((await runCli(['recent', '--url', server.url], { env: own() })).stdout).toContain(
      'found by itself',
    );
    writeFileSync(path, 'cmk_live_0000.00000000000000000000\n');
    expect((await runCli(['recent'], { env: own() })).stderr).toContain(`does not accept the key of ${path}`);
  });

  it('a command that asks a service sends the first key of this machine to no other one', async () => {
    writeFileSync(join(dirname(sqlitePath(server.databaseUrl)), 'first-key'), `${server.key}\n`);
    const elsewhere = await runCli(['recent'], {
      env: { ...own(), MEMORYD_URL: 'http://memoryd.invalid:3000' },
    });
    expect(elsewhere).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^memoryd: No API key for http:\/\/memoryd.invalid:3000: /),
    });
    const wrong = await runCli(['recent'], { env: { ...own(), MEMORYD_URL: 'memoryd.invalid' } });
    expect(wrong).toMatchObject({
      code: 1,
      stderr: 'memoryd: MEMORYD_URL: It must begin with http:// or https://.\n',
    });
  });

  it('a command that asks a service says that a memory was erased where the service keeps no trash', async () => {
    const other = await newDatabase('sqlite');
    const eraser = await startServer({ databaseUrl: other.url, env: { MEMORYD_TRASH_DAYS: '0' } });
    const env = serviceEnv(eraser);
    await runCli(['add', 'for good', '--name', 'gone'], { env });
    expect(await runCli(['forget', 'gone'], { env })).toEqual({
      code: 0,
      stdout: 'Erased for good, as MEMORYD_TRASH_DAYS is 0: for good\n',
      stderr: '',
    });
    await eraser.stop();
    await other.drop();
  });
});
