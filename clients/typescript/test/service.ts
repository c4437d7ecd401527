import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const startMsMax = 60_000;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function waitFor(url: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + startMsMax;
  while (Date.now() < deadline && child.exitCode === null) {
    // It starts.
    const response = await fetch(`${url}/health`).catch(() => undefined);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('the service does not start');
}

/** A service for the tests; the environment of the tests names it and a key with all scopes. */
export default async function service() {
  const folder = mkdtempSync(join(tmpdir(), 'memoryd-client-'));
  const key = `cmk_live_${randomBytes(8).toString('hex')}.${randomBytes(24).toString('hex')}`;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('MEMORYD_')),
  );
  const own = { MEMORYD_HOST: '127.0.0.1', MEMORYD_PORT: String(port), MEMORYD_API_KEY: key };
  const quiet = { MEMORYD_LOG_LEVEL: 'error', MEMORYD_EMBEDDER: 'static' };
  const child = spawn(process.execPath, [join(root, 'dist/main.js'), 'serve'], {
    cwd: folder,
    env: { ...env, ...own, ...quiet },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  await waitFor(url, child);
  Object.assign(process.env, { TEST_URL: url, TEST_KEY: key });
  return async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill();
    await ended;
    rmSync(folder, { recursive: true });
  };
}
