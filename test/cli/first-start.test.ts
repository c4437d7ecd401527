import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { poll } from '../support/poll.ts';
import { engines, newDatabase, runMemoryd, startServer, type TestDatabase } from '../support/server.ts';
import { newTempFolder } from '../support/temp-folder.ts';

const mainPath = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

describe.each(engines)('the first start on %s', (engine) => {
  let database: TestDatabase;
  let folder: ReturnType<typeof newTempFolder>;
  beforeEach(async () => {
    database = await newDatabase(engine);
    folder = newTempFolder('first-start');
  });
  afterEach(async () => {
    await database.drop();
    folder.remove();
  });

  it('the first start keeps the key out of what a log collector reads, which is given the path of its file', async () => {
    const env = { MEMORYD_API_KEY: '', MEMORYD_DATA_DIR: join(folder.path, 'made') };
    const server = await startServer({ databaseUrl: database.url, env });
    const [, path] = /Its API key is in (\S+)/.exec(server.output()) ?? [];
    const key = readFileSync(path, 'utf8').trim();
    expect(key).toMatch(/^\S+\.\S+$/);
    expect(server.output()).not.toContain(key.split('.')[1]);
    if (engine === 'postgres') {
      expect(path).toBe(join(folder.path, 'made/first-key'));
      expect((statSync(join(folder.path, 'made')).mode & 0o777).toString(8)).toBe('700');
    }
    const me = await fetch(`${server.url}/api/users/me`, { headers: { authorization: `Bearer ${key}` } });
    expect(me.status).toBe(200);
    await server.stop();
  });

  it('the first start shows the key on a terminal', async () => {
    const command = `'${process.execPath}' '${mainPath}' serve`;
    const { PATH } = process.env;
    // util-linux: runs the command on a terminal of its own, and passes on what it prints.
    const child = spawn('script', ['-qefc', command, '/dev/null'], {
      cwd: folder.path,
      env: { PATH, MEMORYD_DATABASE_URL: database.url, MEMORYD_DATA_DIR: folder.path, MEMORYD_PORT: '0' },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    let shown = '';
    child.stdout.on('data', (part: Buffer) => {
      shown += part.toString();
    });
    const exited = new Promise((resolve) => child.once('exit', resolve));
    const [, path] = await poll('the key is shown', async () => /kept in (\S+):/.exec(shown) ?? undefined);
    const key = readFileSync(path, 'utf8').trim();
    await poll('the service listens', async () => (/memoryd listens on/.test(shown) ? true : undefined));
    expect(shown).toContain(key);
    child.stdin.write('\x03');
    await exited;
  });
});

describe('the folder of the settings', () => {
  it('the folder of the settings has the store and is where a command finds it', async () => {
    const folder = newTempFolder('data-dir');
    const env = { MEMORYD_DATABASE_URL: '', MEMORYD_API_KEY: '', MEMORYD_DATA_DIR: join(folder.path, 'a/b') };
    const server = await startServer({ databaseUrl: 'unused', env });
    expect(existsSync(join(folder.path, 'a/b/memoryd.db'))).toBe(true);
    expect(existsSync(join(folder.path, 'a/b/first-key'))).toBe(true);
    await server.stop();
    const listed = await runMemoryd(`sqlite:${join(folder.path, 'a/b/memoryd.db')}`, ['users', 'list']);
    expect(listed.stdout).toContain('default');
    folder.remove();
  });
});
