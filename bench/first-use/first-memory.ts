import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { poll } from '../../test/support/poll.ts';
import { type Shell, secondsSince } from './shell.ts';

export interface Start {
  /** Command line that starts the service. */
  readonly line: readonly string[];
  readonly folder: string;
  readonly port: number;
  /** Further settings. */
  readonly env: Readonly<Record<string, string>>;
  readonly keyPath: string;
}

export interface FirstMemory {
  /** From the line that starts the service until `/livez` responds. */
  readonly readySeconds: number;
  /** From the same line until the memory that was stored is found. */
  readonly foundSeconds: number;
}

const readyDeadlineMs = 120_000;
const content = 'Ana prefers the window seat on night trains';

/** Starts the service, stores a memory with the key of the first start, finds it, and stops the service. */
export async function firstMemory(
  shell: Shell,
  { line, folder, port, env, keyPath }: Start,
): Promise<FirstMemory> {
  const started = performance.now();
  const [command, ...args] = line;
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...shell.env, ...env, MEMORYD_PORT: String(port) },
    stdio: 'ignore',
    // npm starts further processes; the signal to the group ends all of them.
    detached: true,
  });
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  try {
    await poll('the service is ready', () => isReady(url, child.exitCode), readyDeadlineMs);
    const readySeconds = secondsSince(started);
    await storeAndFind(url, readFileSync(keyPath, 'utf8').trim());
    return { readySeconds, foundSeconds: secondsSince(started) };
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
    await exited;
  }
}

async function isReady(url: string, exitCode: number | null): Promise<true | undefined> {
  if (exitCode !== null) throw new Error(`the service ended with ${exitCode}`);
  // Nothing listens yet.
  const response = await fetch(`${url}/livez`).catch(() => undefined);
  await response?.arrayBuffer();
  return response?.status === 200 ? true : undefined;
}

async function storeAndFind(url: string, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ content });
  const stored = await fetch(`${url}/api/memories`, { method: 'POST', headers, body });
  if (stored.status !== 201) throw new Error(`not stored: ${await stored.text()}`);
  const found = await fetch(`${url}/api/memories/search?q=which+seat+does+ana+like`, { headers });
  const { data } = (await found.json()) as { data: { content: string }[] };
  if (data[0]?.content !== content) throw new Error('hollow: the memory was not found');
}
