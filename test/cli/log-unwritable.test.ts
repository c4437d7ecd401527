import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newDatabase, type TestDatabase } from '../support/database.ts';
import { client } from '../support/http-client.ts';
import { poll } from '../support/poll.ts';
import { firstKey, runMemoryd } from '../support/server.ts';
import { newTempFolder } from '../support/temp-folder.ts';

const mainPath = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

describe('a process whose standard output cannot be written', () => {
  let database: TestDatabase;
  let folder: ReturnType<typeof newTempFolder>;
  beforeEach(async () => {
    database = await newDatabase('sqlite');
    folder = newTempFolder('log');
  });
  afterEach(async () => {
    await database.drop();
    folder.remove();
  });

  const start = (args: readonly string[], stdout: number | 'pipe') => {
    const env = {
      PATH: process.env.PATH ?? '',
      MEMORYD_DATABASE_URL: database.url,
      MEMORYD_API_KEY: firstKey(database.url),
      MEMORYD_PORT: String(20_000 + (process.pid % 20_000)),
    };
    const child = spawn(process.execPath, [mainPath, ...args], {
      cwd: folder.path,
      env,
      stdio: ['ignore', stdout, 'pipe'],
    });
    let stderr = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
    return { child, exited, stderr: () => stderr, url: `http://127.0.0.1:${env.MEMORYD_PORT}` };
  };

  const servesOn = async ({ url, child, exited }: ReturnType<typeof start>, afterStart: () => void) => {
    const http = client(url, firstKey(database.url));
    await poll('the service answers', async () => (await fetch(`${url}/livez`).catch(() => undefined))?.ok);
    afterStart();
    await poll('lines are counted as lost', async () => {
      expect((await http.get('/api/memories')).status).toBe(200);
      const { text } = await http.get('/metrics');
      return Number(/^memoryd_log_lines_dropped_total (\d+)/m.exec(text)?.[1]) > 0 ? true : undefined;
    });
    expect((await http.post('/api/memories', { content: 'kept' })).status).toBe(201);
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
  };

  it('a process whose output cannot be written serves on where the disk of the log is full, and counts the lines that are lost', async () => {
    const full = openSync('/dev/full', 'w');
    try {
      await servesOn(start(['serve'], full), () => undefined);
    } finally {
      closeSync(full);
    }
  });

  it('a process whose output cannot be written serves on where the reader of its log is gone, and counts the lines that are lost', async () => {
    const serving = start(['serve'], 'pipe');
    await servesOn(serving, () => void serving.child.stdout?.destroy());
  });

  it('a process whose output cannot be written ends a command without a stack trace where its reader is gone, as `head` is', async () => {
    for (const name of ['ana', 'ben']) await runMemoryd(database.url, ['users', 'add', name]);
    const listing = start(['users', 'list'], 'pipe');
    listing.child.stdout?.destroy();
    expect(await listing.exited).toBe(0);
    expect(listing.stderr()).toBe('');
  });

  it('a process whose output cannot be written ends a command with exit 1 and a word where what it prints cannot be kept', async () => {
    await runMemoryd(database.url, ['users', 'add', 'ana']);
    const full = openSync('/dev/full', 'w');
    try {
      const listing = start(['users', 'list'], full);
      expect(await listing.exited).toBe(1);
      expect(listing.stderr()).toBe('memoryd: what it prints cannot be written (ENOSPC)\n');
    } finally {
      closeSync(full);
    }
  });
});
