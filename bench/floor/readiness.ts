import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { newTempFolder } from '../../test/support/temp-folder.ts';
import { residentMiB, startFloor } from '../http/processes.ts';
import { median } from '../http/quantiles.ts';

const command = fileURLToPath(new URL('../../bin/memoryd.js', import.meta.url));

export interface Readiness {
  /** From the start of the process until it listens, the median of all starts. */
  readonly readyMs: number;
  /** Resident memory of the last of them, after a pause without requests. */
  readonly idleMiB: number;
}

/** Starts both on empty stores, by turns. */
export async function measureReadiness(
  env: Readonly<Record<string, string>>,
  { starts, pauseMs }: { starts: number; pauseMs: number },
): Promise<{ ours: Readiness; floor: Readiness }> {
  const [ours, floor]: [Readiness[], Readiness[]] = [[], []];
  for (let left = starts; left > 0; left--) {
    const lastMs = left === 1 ? pauseMs : 0;
    ours.push(await startOnce(env, lastMs));
    const started = await startFloor();
    await delay(lastMs);
    floor.push({ readyMs: started.readyMs, idleMiB: residentMiB(started.pid) });
    await started.stop();
  }
  const inAll = (each: readonly Readiness[]) => ({
    readyMs: median(each.map(({ readyMs }) => readyMs)),
    idleMiB: each[starts - 1].idleMiB,
  });
  return { ours: inAll(ours), floor: inAll(floor) };
}

async function startOnce(env: Readonly<Record<string, string>>, pauseMs: number): Promise<Readiness> {
  const folder = newTempFolder('ready');
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('MEMORYD_'));
  const began = performance.now();
  const child = spawn(process.execPath, [command, 'serve'], {
    cwd: folder.path,
    env: {
      ...Object.fromEntries(others),
      MEMORYD_DATABASE_URL: 'sqlite:./memoryd.db',
      MEMORYD_PORT: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const killed = () => child.kill('SIGKILL');
  process.once('exit', killed);
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.includes('listens on')) resolve();
    });
    child.once('exit', (code) => reject(new Error(`memoryd serve ended with ${code}`)));
  });
  const readyMs = performance.now() - began;
  await delay(pauseMs);
  const idleMiB = residentMiB(child.pid ?? -1);
  child.kill('SIGTERM');
  await exited;
  process.off('exit', killed);
  folder.remove();
  return { readyMs, idleMiB };
}
