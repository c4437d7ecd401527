import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { poll } from './poll.ts';
import { newTempFolder } from './temp-folder.ts';
import { testDefaults } from './test-config.ts';

export { type Engine, engines, newDatabase, type TestDatabase } from './database.ts';

export interface ServerOptions {
  /** What `MEMORYD_DATABASE_URL` takes. */
  databaseUrl: string;
  /** Further settings; they win over those that are set here and over `testDefaults`. */
  env?: Record<string, string>;
  /** The folder the server runs in (`data/` is made there); by default a fresh one, removed afterwards. */
  dataDir?: string;
  port?: number;
  /** Another build than that of this folder. */
  main?: string;
  /** Options of `memoryd serve`. */
  args?: readonly string[];
}

/** A real `memoryd serve` process. `key` is the first key of a store that was empty. */
export interface Server {
  url: string;
  key: string;
  pid: number;
  /** Everything it has printed, the last 64 KiB of it. */
  output(): string;
  /** SIGTERM; the exit code, or null when a signal ended it. */
  stop(): Promise<number | null>;
  /** SIGKILL, and waits until the process is gone. */
  kill(): Promise<void>;
}

const readyDeadlineMs = 30_000;
const stopDeadlineMs = 20_000;
const outputLengthMax = 64 * 1024;
const mainPath = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const running = new Set<ChildProcess>();

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** The key that `startServer` gives to the first user of this store: the same for every start on it. */
export function firstKey(databaseUrl: string): string {
  const digest = createHash('sha512').update(databaseUrl).digest('hex');
  return `cmk_live_${digest.slice(0, 16)}.${digest.slice(16, 80)}`;
}

/**
 * Starts `node dist/main.js serve` on a free port of 127.0.0.1 and waits for its `/livez`.
 *
 * @throws Error with what the process printed, when it ends or is not ready within 30 s.
 */
export async function startServer(options: ServerOptions): Promise<Server> {
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await findFreePort());
    try {
      return await startOnPort(options, port);
    } catch (error) {
      // Between finding a free port and listening on it, another process may have taken it.
      const taken = error instanceof Error && /Port \d+ of \S+ is taken/.test(error.message);
      if (!taken || options.port !== undefined || attempt === 3) throw error;
    }
  }
}

async function startOnPort(options: ServerOptions, port: number): Promise<Server> {
  const folder = options.dataDir === undefined ? newTempFolder('server') : undefined;
  const key = options.env?.MEMORYD_API_KEY ?? firstKey(options.databaseUrl);
  const child = spawn(process.execPath, [options.main ?? builtMain(), 'serve', ...(options.args ?? [])], {
    cwd: options.dataDir ?? folder?.path,
    env: childEnvironment(options.databaseUrl, {
      MEMORYD_PORT: String(port),
      MEMORYD_API_KEY: key,
      ...options.env,
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = keepTail(child);
  running.add(child);
  const exited = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => {
      running.delete(child);
      folder?.remove();
      resolve(code);
    });
    child.once('error', () => resolve(null));
  });
  const url = `http://127.0.0.1:${port}`;
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  try {
    await waitUntilLive(child, url);
  } catch (error) {
    await kill();
    throw new Error(`memoryd serve did not start (${(error as Error).message}). It printed:\n${output()}`);
  }
  const stop = async () => {
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), stopDeadlineMs);
    const code = await exited;
    clearTimeout(late);
    return code;
  };
  return { url, key, pid: child.pid ?? -1, output, stop, kill };
}

async function waitUntilLive(child: ChildProcess, url: string): Promise<void> {
  await poll(
    '/livez answers 200',
    async () => {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`it exited with ${child.exitCode ?? child.signalCode}`);
      const response = await fetch(`${url}/livez`).catch(() => undefined);
      await response?.arrayBuffer();
      return response?.status === 200 ? true : undefined;
    },
    readyDeadlineMs,
  );
}

/** @returns what gives the last 64 KiB that a process has printed */
export function keepTail(child: ChildProcess): () => string {
  let text = '';
  const keep = (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-outputLengthMax);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  return () => text;
}

export async function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}

function builtMain(): string {
  if (!existsSync(mainPath)) throw new Error(`${mainPath} is missing: run "npm run build" first`);
  return mainPath;
}

/** Our own environment without its `MEMORYD_*` settings, so that a developer's shell never changes a test. */
function childEnvironment(databaseUrl: string, settings: Record<string, string>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('MEMORYD_'));
  const given = { MEMORYD_DATABASE_URL: databaseUrl, ...testDefaults, ...settings };
  return { ...Object.fromEntries(inherited), ...given };
}

/** Runs one `memoryd` command on a store, away from the repository so that no `.env` is read. */
export async function runMemoryd(
  databaseUrl: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  main = builtMain(),
): Promise<{ code: number; stdout: string; stderr: string }> {
  const folder = newTempFolder('command');
  try {
    const options = { cwd: folder.path, env: childEnvironment(databaseUrl, env) };
    const done = await promisify(execFile)(process.execPath, [main, ...args], options);
    return { code: 0, ...done };
  } catch (error) {
    const failed = error as { code?: unknown; stdout?: string; stderr?: string; message: string };
    if (typeof failed.code !== 'number') throw error;
    return { code: failed.code, stdout: failed.stdout ?? '', stderr: failed.stderr ?? '' };
  } finally {
    folder.remove();
  }
}

/** Makes the user if it is new, and a key for it: the last word that `keys create` prints. */
export async function createUserKey(databaseUrl: string, name: string): Promise<string> {
  const done = await runMemoryd(databaseUrl, ['keys', 'create', '--user', name]);
  const key = done.stdout.trim().split(/\s+/).at(-1);
  if (done.code !== 0 || !key) throw new Error(`keys create failed (${done.code}): ${done.stderr}`);
  return key;
}
