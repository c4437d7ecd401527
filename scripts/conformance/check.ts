import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Engine, engines, newDatabase, type Server, startServer } from '../../test/support/server.ts';
import { newTempFolder } from '../../test/support/temp-folder.ts';

const [node, programs] = process.argv.slice(2);
assert(node && programs, 'usage: check.ts PATH-OF-NODE FOLDER-OF-PROGRAMS');
const notOffered = fileURLToPath(new URL('not-offered.yaml', import.meta.url));
const run = promisify(execFile);
const timeoutMs = 300_000;

/** An address that adds the key: the suite sends none. Headers pass as they are, of the origin too. */
async function openWithKey({ url, key }: Pick<Server, 'url' | 'key'>) {
  const proxy = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${key}` };
    const passed = send(
      new URL(incoming.url ?? '/', url),
      { method: incoming.method, headers },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 500, response.headers);
        response.pipe(outgoing);
      },
    );
    passed.once('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/mcp`, close: () => proxy.close() };
}

/** What a program prints. @throws with all it printed if it fails */
async function outputOf(cwd: string, program: string, ...args: string[]): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: cwd };
  try {
    return (await run(node, [join(programs, program), ...args], { cwd, env, timeout: timeoutMs })).stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} failed:\n${stdout}\n${stderr}`);
  }
}

async function check(engine: Engine): Promise<void> {
  const database = await newDatabase(engine);
  const folder = newTempFolder('conformance');
  const server = await startServer({ databaseUrl: database.url });
  const open = await openWithKey(server);
  try {
    const suite = await outputOf(
      folder.path,
      'conformance',
      'server',
      '--url',
      open.url,
      '--expected-failures',
      notOffered,
    );
    const passed = [...suite.matchAll(/^✓ (\S+): (\d+) passed/gm)].map(([, name]) => name);
    assert(passed.includes('server-initialize') && passed.includes('dns-rebinding-protection'), suite);
    console.log(`conformance on ${engine}: ${passed.join(', ')}`);
    const key = `Authorization: Bearer ${server.key}`;
    const inspected = ['--cli', `${server.url}/mcp`, '--header', key, '--method', 'tools/list'];
    const { tools } = JSON.parse(await outputOf(folder.path, 'mcp-inspector', ...inspected));
    assert(tools.some(({ name }: { name: string }) => name === 'remember'));
    console.log(`the Inspector lists ${tools.length} tools on ${engine}`);
  } finally {
    open.close();
    await server.stop();
    await database.drop();
    folder.remove();
  }
}

for (const engine of engines) await check(engine);
