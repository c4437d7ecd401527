import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client } from '../support/http-client.ts';
import { callers } from '../support/mcp-client.ts';
import { installPackedCopy, type PackedCopy } from '../support/packed-copy.ts';
import { engines, newDatabase, startServer } from '../support/server.ts';
import { newTempFolder } from '../support/temp-folder.ts';

const content = 'Ana prefers the window seat on night trains';

describe('the package, installed in an empty folder', () => {
  let copy: PackedCopy;
  beforeAll(async () => {
    copy = await installPackedCopy();
  }, 300_000);
  afterAll(() => copy.remove());

  it('the installed package has no development dependency, and needs none', () => {
    const there = readdirSync(join(copy.path, 'node_modules'));
    for (const name of ['typescript', 'vitest', 'tsx', 'memoryd-node-gyp', '@biomejs'])
      expect(there).not.toContain(name);
  });

  it('the installed package has types of what the API responds with', () => {
    const program = `
      import type { ApiError, Memory, SearchResponse } from 'memoryd';
      export const contentsOf = (response: SearchResponse): string[] => response.data.map((hit) => hit.content);
      export const nameOf = (memory: Memory): string | undefined => memory.name;
      export const codeOf = (error: ApiError): string => error.code;
      // @ts-expect-error a memory has no colour
      export const colourOf = (memory: Memory) => memory.colour;
    `;
    writeFileSync(join(copy.path, 'program.ts'), program);
    const options = ['--strict', '--noEmit', '--module', 'nodenext', '--types', '', 'program.ts'];
    const compiler = join(process.cwd(), 'node_modules/typescript/bin/tsc');
    expect(
      spawnSync(process.execPath, [compiler, ...options], { cwd: copy.path, encoding: 'utf8' }),
    ).toMatchObject({
      stdout: '',
      status: 0,
    });
  });

  it.each(engines)(
    'the installed package stores and finds a memory on %s, derives from it on a thread, in the data folder of the user',
    async (engine) => {
      const home = newTempFolder('home');
      const folder = join(home.path, '.local/share/memoryd');
      const database = engine === 'sqlite' ? undefined : await newDatabase(engine);
      const server = await startServer({
        databaseUrl: 'unused',
        main: copy.main,
        env: {
          MEMORYD_DATABASE_URL: database?.url ?? '',
          MEMORYD_API_KEY: '',
          HOME: home.path,
          XDG_DATA_HOME: '',
        },
      });
      expect(existsSync(join(folder, 'memoryd.db'))).toBe(engine === 'sqlite');
      const http = client(server.url, readFileSync(join(folder, 'first-key'), 'utf8').trim());
      expect((await http.post('/api/memories', { content })).status).toBe(201);
      const found = await http.get<{ data: { content: string }[] }>(
        '/api/memories/search?q=which+seat+does+ana+like',
      );
      expect(found.body.data.map((hit) => hit.content)).toEqual([content]);
      // Derived on a thread, whose file and models are in the package.
      type Named = { data: { name: string }[] };
      const names = async () => (await http.get<Named>('/api/entities')).body.data.map(({ name }) => name);
      await expect.poll(names).toEqual(['Ana']);
      expect(await server.stop()).toBe(0);
      await database?.drop();
      home.remove();
    },
  );

  it('the installed package serves by the static model alone where its optional dependency was left out', async () => {
    const [runtime, aside] = ['onnxruntime-node', 'left-out'].map((name) =>
      join(copy.path, 'node_modules', name),
    );
    renameSync(runtime, aside);
    const database = await newDatabase('sqlite');
    const server = await startServer({
      databaseUrl: database.url,
      main: copy.main,
      env: { MEMORYD_EMBEDDER: 'bundled', MEMORYD_LOG_LEVEL: 'info' },
    });
    const http = client(server.url, server.key);
    await http.post('/api/memories', { content });
    const found = await http.get<{ data: { content: string }[]; meta: object }>(
      '/api/memories/search?q=which+seat+does+ana+like&searchMethod=semantic',
    );
    expect(found.body.data.map((hit) => hit.content)).toEqual([content]);
    expect(found.body.meta).not.toHaveProperty('degraded');
    await expect.poll(() => server.output()).toContain('onnxruntime-node is not installed');
    expect(await server.stop()).toBe(0);
    await database.drop();
    renameSync(aside, runtime);
  });

  it('the installed package serves an agent with what `memoryd init` prints, without a service and by npx', async () => {
    const home = newTempFolder('home');
    const env = { PATH: process.env.PATH ?? '', HOME: home.path };
    const text = execFileSync('npx', ['--no-install', 'memoryd', 'init', '--client', 'claude-desktop'], {
      cwd: copy.path,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const { mcpServers } = JSON.parse(text) as {
      mcpServers: { memoryd: { command: string; args: string[]; env: Record<string, string> } };
    };
    const { command, args } = mcpServers.memoryd;
    expect(mcpServers.memoryd.env).toEqual({ MEMORYD_DATA_DIR: join(home.path, '.local/share/memoryd') });
    // No service: the port of one that a developer may run is not asked.
    const alone = { ...mcpServers.memoryd.env, MEMORYD_PORT: '1' };
    const transport = new StdioClientTransport({ command, args, env: alone, cwd: '/', stderr: 'ignore' });
    const agent = new Client({ name: 'test', version: '1' });
    await agent.connect(transport);
    await callers(agent).call('remember', { content });
    expect(await callers(agent).call('search', { query: 'which seat' })).toMatchObject({ total: 1 });
    await agent.close();
    home.remove();
  });
});
