import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { callers } from '../../test/support/mcp-client.ts';
import { type Engine, engines, newDatabase, startServer } from '../../test/support/server.ts';
import { newTempFolder } from '../../test/support/temp-folder.ts';

const [mx] = process.argv.slice(2);
assert(mx, 'usage: check.ts PATH-OF-MX');
/** The official client, through the bridge `mx mcp serve`, to a service that restarts on the way. */
async function checkBridge(bridge: string, engine: Engine): Promise<void> {
  const database = await newDatabase(engine);
  const folder = newTempFolder('mx');
  let server = await startServer({ databaseUrl: database.url });
  const port = Number(new URL(server.url).port);

  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bridge, 'mcp', 'serve', '--url', `${server.url}/mcp`],
    cwd: folder.path,
    // Everything that would leave this machine is off.
    env: {
      PATH: process.env.PATH ?? '',
      HOME: folder.path,
      XDG_CONFIG_HOME: folder.path,
      MX_API_URL: server.url,
      MX_API_KEY: server.key,
      NO_UPDATE_NOTIFIER: '1',
      MX_AUTO_UPDATE: 'false',
      MX_ERROR_REPORTING_ENABLED: 'false',
      CI: '1',
    },
    stderr: 'ignore',
  });
  const client = new Client({ name: 'mx-bridge-check', version: '1' });
  await client.connect(transport);
  const agent = callers(client);
  try {
    const names = (await client.listTools()).tools.map(({ name }) => name);
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
    await client.close();
    await server.stop();
    await database.drop();
    folder.remove();
  }
}

for (const engine of engines) await checkBridge(mx, engine);
