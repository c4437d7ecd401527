import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callers, connectMcp } from '../support/mcp-client.ts';
import { type Server, startServer } from '../support/server.ts';
import { newTempFolder } from '../support/temp-folder.ts';

const mainPath = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

interface Entry {
  readonly url: string;
  readonly headers: { readonly Authorization: string };
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}

describe('memoryd init', () => {
  const folder = newTempFolder('init');
  // A quote, as in the names of people.
  const dataDir = join(folder.path, "Ana's data");
  let server: Server;
  let key: string;

  beforeAll(async () => {
    server = await startServer({
      databaseUrl: `sqlite:${join(dataDir, 'memoryd.db')}`,
      env: { MEMORYD_API_KEY: '' },
    });
    key = readFileSync(join(dataDir, 'first-key'), 'utf8').trim();
  });
  afterAll(async () => {
    await server.stop();
    folder.remove();
  });

  const environment = () => ({
    PATH: process.env.PATH ?? '',
    HOME: folder.path,
    MEMORYD_DATA_DIR: dataDir,
    MEMORYD_PORT: new URL(server.url).port,
  });
  const init = (...args: string[]) =>
    execFileSync(process.execPath, [mainPath, 'init', ...args], {
      cwd: folder.path,
      env: environment(),
      encoding: 'utf8',
      stdio: 'pipe',
    });
  const shell = (script: string, path = process.env.PATH) =>
    execFileSync('bash', ['-c', script], { encoding: 'utf8', env: { ...environment(), PATH: path } });
  const entryOf = (text: string): Entry => {
    const parsed = JSON.parse(text) as Record<string, { memoryd: Entry }>;
    return Object.values(parsed)[0].memoryd;
  };

  it('memoryd init has a text for each client, writes no file, and keeps the key from what is no terminal', () => {
    const before = readdirSync(folder.path, { recursive: true }).sort();
    const text = init();
    for (const title of ['Claude Code', 'Cursor', 'Claude Desktop', 'VS Code', 'TypeScript', 'mx', 'curl'])
      expect(text).toContain(`# ${title}`);
    expect(text).not.toContain(key.split('.')[1]);
    expect(readdirSync(folder.path, { recursive: true }).sort()).toEqual(before);
    expect(() => init('--client', 'emacs')).toThrow(/claude-code, cursor/);
  });

  it('memoryd init shows the key on a terminal, where the text must contain it', () => {
    const command = `'${process.execPath}' '${mainPath}' init --client cursor 2>/dev/null`;
    const text = shell(`script -qefc "${command}" /dev/null`);
    expect(entryOf(text).headers.Authorization).toBe(`Bearer ${key}`);
  });

  it('memoryd init gives clients over HTTP an address and a header that work', async () => {
    for (const name of ['cursor', 'vscode', 'mcp-http']) {
      const { url, headers } = entryOf(init('--client', name, '--key', key));
      const agent = await connectMcp({ url }, '', { authorization: headers.Authorization });
      await agent.call('remember', { content: `Set up for ${name}.` });
      await agent.close();
    }
  });

  it('memoryd init gives Cursor and VS Code links with the entry of their files', () => {
    const entry = (name: string) => entryOf(init('--client', name, '--key', key));
    const cursor = new URL(init('--client', 'cursor-link', '--key', key).trim());
    expect(`${cursor.protocol}//${cursor.host}${cursor.pathname}`).toBe(
      'cursor://anysphere.cursor-deeplink/mcp/install',
    );
    expect(cursor.searchParams.get('name')).toBe('memoryd');
    const config = Buffer.from(cursor.searchParams.get('config') ?? '', 'base64').toString();
    expect(JSON.parse(config)).toEqual(entry('cursor'));
    const vscode = init('--client', 'vscode-link', '--key', key).trim();
    const [, query] = /^vscode:mcp\/install\?([^&]+)$/.exec(vscode) ?? [];
    expect(JSON.parse(decodeURIComponent(query))).toEqual({ name: 'memoryd', ...entry('vscode') });
  });

  it('memoryd init gives clients that start a program one that works from any folder', async () => {
    for (const name of ['claude-desktop', 'mcp-stdio']) {
      const { command, args, env } = entryOf(init('--client', name));
      const transport = new StdioClientTransport({ command, args, env, cwd: '/', stderr: 'ignore' });
      const client = new Client({ name: 'test', version: '1' });
      await client.connect(transport);
      const { call } = callers(client);
      await call('remember', { content: `Started by ${name}.` });
      expect(await call('search', { query: `started by ${name}` })).toMatchObject({
        results: expect.arrayContaining([expect.objectContaining({ content: `Started by ${name}.` })]),
      });
      await client.close();
    }
  });

  it('memoryd init gives Claude Code a line whose arguments are the address and the header with the key', () => {
    const bin = join(folder.path, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'claude'), '#!/bin/sh\nprintf "%s\\n" "$@"\n');
    chmodSync(join(bin, 'claude'), 0o755);
    const words = shell(init('--client', 'claude-code'), `${bin}:${process.env.PATH}`).trim().split('\n');
    expect(words).toContain(`http://localhost:${new URL(server.url).port}/mcp`);
    expect(words.at(-1)).toBe(`Authorization: Bearer ${key}`);
  });

  it('memoryd init gives a shell lines of curl that store and find', () => {
    const [stored, found] = shell(init('--client', 'curl')).trim().split('\n');
    const content = 'Ana prefers the window seat';
    expect(JSON.parse(stored)).toMatchObject({ data: { content } });
    expect(JSON.parse(found)).toMatchObject({ data: [{ content }] });
  });

  it('memoryd init gives TypeScript a program that stores and finds', () => {
    const program = join(folder.path, 'program.mts');
    writeFileSync(program, init('--client', 'typescript', '--key', key));
    symlinkSync(join(process.cwd(), 'node_modules'), join(folder.path, 'node_modules'));
    expect(shell(`node_modules/.bin/tsx '${program}'`)).toContain('Ana prefers the window seat');
  });
});
