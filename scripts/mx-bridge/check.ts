import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { client } from '../../test/support/http-client.ts';
import { callers } from '../../test/support/mcp-client.ts';
import { type Engine, engines, newDatabase, type Server, startServer } from '../../test/support/server.ts';
import { newTempFolder } from '../../test/support/temp-folder.ts';

const [mx] = process.argv.slice(2);
assert(mx, 'usage: check.ts PATH-OF-MX');
/** Environment in which nothing sends data to other machines. */
function environment(home: string, { url, key }: Pick<Server, 'url' | 'key'>): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    XDG_CONFIG_HOME: home,
    MX_API_URL: url,
    MX_API_KEY: key,
    NO_UPDATE_NOTIFIER: '1',
    MX_AUTO_UPDATE: 'false',
    MX_ERROR_REPORTING_ENABLED: 'false',
    CI: '1',
  };
}

/** Checks the hook that `mx` runs after a commit, in a temporary repository. */
async function checkHook(command: string, engine: Engine): Promise<void> {
  const database = await newDatabase(engine);
  const folder = newTempFolder('mx-hook');
  const server = await startServer({ databaseUrl: database.url });
  const env = environment(folder.path, server);
  const run = (file: string, ...args: string[]) =>
    execFileSync(file, args, {
      cwd: folder.path,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  const git = (...args: string[]) => run('git', '-c', 'user.name=Ana', '-c', 'user.email=a@b.test', ...args);
  try {
    git('init', '-q', '-b', 'main');
    mkdirSync(join(folder.path, 'src'));
    for (const name of ['src/queue.ts', 'src/retry.ts']) {
      writeFileSync(join(folder.path, name), 'export class Queue {}\n'.repeat(20));
      git('add', name);
      git('commit', '-qm', `Add ${name}`);
    }
    const hook = () => run(process.execPath, command, 'hook', 'post-commit', '--no-enrich');
    assert.match(hook(), /captured and synced \(server\)/);
    hook();
    const http = client(server.url, server.key);
    const found = await http.get<{ data: { content: string; topics: string[] }[] }>(
      '/api/memories/search?topics=commit-context&sortBy=createdAt&order=desc',
    );
    assert.equal(found.body.data.length, 1);
    assert.match(found.body.data[0].content, /^Commit [0-9a-f]{7} on main by Ana.*: Add src\/retry\.ts\n/);
    assert.match(found.body.data[0].content, /- src \(1 file\): retry\.ts/);
    console.log(`mx hook post-commit, twice for one commit, on ${engine}: ok`);
  } finally {
    await server.stop();
    await database.drop();
    folder.remove();
  }
}

/** Checks the official client through the bridge `mx mcp serve`, with a restart of the service in between. */
async function checkBridge(bridge: string, engine: Engine): Promise<void> {
  const database = await newDatabase(engine);
  const folder = newTempFolder('mx');
  let server = await startServer({ databaseUrl: database.url });
  const port = Number(new URL(server.url).port);

  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bridge, 'mcp', 'serve', '--url', `${server.url}/mcp`],
    cwd: folder.path,
    env: environment(folder.path, server),
    stderr: 'ignore',
  });
  const mcp = new Client({ name: 'mx-bridge-check', version: '1' });
  await mcp.connect(transport);
  const agent = callers(mcp);
  try {
    const names = (await mcp.listTools()).tools.map(({ name }) => name);
    for (const name of ['search', 'remember', 'build_context', 'create_memory', 'search_memories'])
      assert(names.includes(name), `${name} is listed through the bridge`);
    await agent.call('create_memory', { content: 'The bridge carries memories.', conversationId: 'NEW' });
    const found = await agent.call<{ total: number }>('search_memories', { query: 'bridge' });
    assert.equal(found.total, 1);
    console.log(`store and find through the bridge, on ${engine}: ok`);
    await server.stop();
    server = await startServer({ databaseUrl: database.url, port });
    const again = await agent.call<{ total: number }>('search', { query: 'bridge' });
    assert.equal(again.total, 1);
    console.log(`find after a restart of the service, on ${engine}: ok`);
  } finally {
    await mcp.close();
    await server.stop();
    await database.drop();
    folder.remove();
  }
}

for (const engine of engines) {
  await checkBridge(mx, engine);
  await checkHook(mx, engine);
}
