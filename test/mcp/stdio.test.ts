import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Client as Client2026 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioTransport2026 } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, it } from 'vitest';
import { engines, newDatabase } from '../support/database.ts';
import { type AnyClient, callers } from '../support/mcp-client.ts';
import { startServer } from '../support/server.ts';
import { newTempFolder } from '../support/temp-folder.ts';

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** Our own environment without its settings of memoryd. */
function environment(settings: Record<string, string>): Record<string, string> {
  const own = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !entry[0].startsWith('MEMORYD_'),
  );
  return { ...Object.fromEntries(own), ...settings };
}

type Settings = Record<string, string>;

async function connect(args: readonly string[], settings: Settings, era: 'v1' | 'v2 of 2026' = 'v1') {
  const folder = newTempFolder('mcp');
  const started = {
    command: process.execPath,
    args: [main, 'mcp', ...args],
    env: environment(settings),
    cwd: folder.path,
    stderr: 'pipe' as const,
  };
  const info = { name: 'test', version: '1' };
  const client: AnyClient & { connect(transport: unknown): Promise<void> } =
    era === 'v1'
      ? new Client(info)
      : new Client2026(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(era === 'v1' ? new StdioClientTransport(started) : new StdioTransport2026(started));
  const close = async () => {
    await client.close();
    folder.remove();
  };
  return { client, close, ...callers(client) };
}

describe.each(engines)('memoryd mcp on %s', (engine) => {
  it('memoryd mcp serves an agent alone on the store, which keeps what it remembered', async () => {
    const database = await newDatabase(engine);
    const settings = { MEMORYD_DATABASE_URL: database.url, MEMORYD_PORT: '1' };
    const first = await connect([], settings);
    await first.call('remember', { content: 'Alone and well.' });
    const names = (await first.client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('search');
    expect(names).not.toContain('search_memories');
    await first.close();
    const second = await connect(['--tools', 'all'], settings);
    expect(await second.call('search_memories', { query: 'alone' })).toMatchObject({ total: 1 });
    await second.close();
    await database.drop();
  });

  it('memoryd mcp serves an agent with a running service, over a restart of it, and says when it is gone', async () => {
    const database = await newDatabase(engine);
    let server = await startServer({ databaseUrl: database.url });
    const settings = { MEMORYD_URL: server.url, MEMORYD_KEY: server.key };
    const agent = await connect([], settings);
    await agent.call('remember', { content: 'The service runs.' });
    await server.stop();
    await expect(agent.call('recent')).rejects.toThrow(/gave no answer .*memoryd serve/);
    server = await startServer({ databaseUrl: database.url, port: Number(new URL(server.url).port) });
    expect(await agent.call('search', { query: 'service' })).toMatchObject({ total: 1 });
    await expect(agent.call('nothing')).rejects.toThrow('There is no tool');
    await agent.close();
    const stranger = connect(['--key', 'cmk_live_x.wrong'], settings);
    await expect(stranger).rejects.toThrow('Send a valid API key');
    await server.stop();
    await database.drop();
  });
});

describe.each(engines)('memoryd mcp for a client of 2026 on %s', (engine) => {
  it('memoryd mcp serves a client of 2026 alone on the store and with a running service, under one session', async () => {
    const database = await newDatabase(engine);
    const alone = { MEMORYD_DATABASE_URL: database.url, MEMORYD_PORT: '1' };
    const first = await connect([], alone, 'v2 of 2026');
    await first.call('remember', { content: 'Alone in 2026.' });
    expect(await first.call('search', { query: 'alone in 2026' })).toMatchObject({ total: 1 });
    await first.close();
    const served = await newDatabase(engine);
    const server = await startServer({ databaseUrl: served.url });
    const bridged = await connect([], { MEMORYD_URL: server.url, MEMORYD_KEY: server.key }, 'v2 of 2026');
    await bridged.call('remember', { content: 'Bridged in 2026.', name: 'in-2026' });
    const { contents } = await bridged.client.readResource({ uri: 'memoryd://named/in-2026' });
    expect(JSON.stringify(contents)).toContain('Bridged in 2026.');
    await expect(bridged.client.readResource({ uri: 'memoryd://named/größe' })).rejects.toThrow(
      'No such memory.',
    );
    const made = await bridged.call('remember', { content: 'With a service.' });
    const again = await bridged.call('remember', { content: 'And in one conversation.' });
    expect(again.conversationId).toBe(made.conversationId);
    await expect(bridged.call('nothing')).rejects.toThrow('There is no tool');
    await bridged.close();
    await server.stop();
    for (const store of [database, served]) await store.drop();
  });
});

describe('memoryd mcp', () => {
  it('memoryd mcp writes nothing but the protocol to standard output, and ends when its input does', async () => {
    const database = await newDatabase('sqlite');
    const folder = newTempFolder('mcp');
    const env = environment({ MEMORYD_DATABASE_URL: database.url, MEMORYD_PORT: '1' });
    const child = spawn(process.execPath, [main, 'mcp'], { cwd: folder.path, env, stdio: 'pipe' });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    const code = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const nested = `{"name":"remember","arguments":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_001)}`;
    child.stdin.write(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${nested}}\n`);
    child.stdin.end('{"jsonrpc":"2.0","id":2,"method":"ping"}\nno json\n');
    expect(await code).toBe(0);
    const [refused, pong, ...more] = output.split('\n');
    expect(JSON.parse(refused)).toMatchObject({
      id: 1,
      error: { code: -32600, message: 'the message must not be nested deeper than 64 levels' },
    });
    expect([pong, ...more]).toEqual(['{"result":{},"jsonrpc":"2.0","id":2}', '']);
    folder.remove();
    await database.drop();
  });
});
