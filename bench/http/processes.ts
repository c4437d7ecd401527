import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { transformWithEsbuild } from 'vite';
import { parseConfig } from '../../src/config/load.ts';
import { openStorage } from '../../src/container.ts';
import { KeyService } from '../../src/domain/api-keys/key-service.ts';
import { UserService } from '../../src/domain/users/user-service.ts';
import { systemClock } from '../../src/lib/clock.ts';
import {
  type Engine,
  newDatabase,
  type Server,
  startServer,
  type TestDatabase,
} from '../../test/support/server.ts';
import { newTempFolder } from '../../test/support/temp-folder.ts';
import { mergeIndex } from './merge-index.ts';

export interface Floor {
  url: string;
  pid: number;
  /** From the start of the process until it listens. */
  readyMs: number;
  stop(): Promise<void>;
}

/** A memoryd service on a store of its own. `server` changes when it is started again. */
export interface Ours {
  readonly server: Server;
  keyOf(user: string): Promise<string>;
  /** Merges the keyword index with the service stopped; says how. */
  merge(): Promise<string>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Compiles `bench/http/floor.ts`: started through tsx, it would take memory and time of the compiler. The
 * program is below `node_modules`, from where it finds its packages.
 */
async function compileFloor(): Promise<string> {
  const folder = fileURLToPath(new URL('../../node_modules/.cache/memoryd-floor/', import.meta.url));
  mkdirSync(folder, { recursive: true });
  for (const name of ['floor', 'floor-store']) {
    const source = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
    const { code } = await transformWithEsbuild(readFileSync(source, 'utf8'), source);
    writeFileSync(join(folder, `${name}.mjs`), code.replace('./floor-store.ts', './floor-store.mjs'));
  }
  return join(folder, 'floor.mjs');
}

/** Starts `bench/http/floor.ts` as a process of its own, on a fresh folder. */
export async function startFloor(): Promise<Floor> {
  const script = await compileFloor();
  const folder = newTempFolder('floor');
  const began = performance.now();
  const child = spawn(process.execPath, [script, folder.path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const killed = () => child.kill('SIGKILL');
  process.once('exit', killed);
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`the floor exited with ${code}`)));
  });
  const readyMs = performance.now() - began;
  const stop = async () => {
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await exited;
    clearTimeout(late);
    process.off('exit', killed);
    folder.remove();
  };
  return { url, pid: child.pid ?? -1, readyMs, stop };
}

/**
 * Starts memoryd on an empty store.
 *
 * @param main another build; do not use `keyOf` with it, which opens the store with this build
 * @param database a store to use instead of an empty one
 */
export async function startOurs(
  engine: Engine,
  env?: Record<string, string>,
  main?: string,
  database?: TestDatabase,
): Promise<Ours> {
  return startOn(database ?? (await newDatabase(engine)), env, main);
}

/** A store in this folder, which stays there. */
export function keptDatabase(folder: string): TestDatabase {
  mkdirSync(folder, { recursive: true });
  const url = `sqlite:${join(resolve(folder), 'memoryd.db')}`;
  return { engine: 'sqlite', url, drop: () => Promise.resolve() };
}

async function startOn(database: TestDatabase, env?: Record<string, string>, main?: string): Promise<Ours> {
  const start = () => startServer({ databaseUrl: database.url, env, main });
  let server = await start();
  const keys = new Keys(database.url);
  return {
    get server() {
      return server;
    },
    keyOf: (user) => keys.of(user),
    merge: async () => {
      await server.stop();
      const how = await mergeIndex(database.engine, database.url);
      server = await start();
      return how;
    },
    restart: async () => {
      await server.stop();
      server = await start();
    },
    stop: () => stopAndDrop(server, database),
  };
}

/**
 * Creates keys as `memoryd keys create` does, but in process: a process for each of a thousand takes minutes.
 */
class Keys {
  readonly #databaseUrl: string;
  #last: Promise<unknown> = Promise.resolve();

  constructor(databaseUrl: string) {
    this.#databaseUrl = databaseUrl;
  }

  /** Creates one key at a time: two writers in one thread would deadlock. */
  of(name: string): Promise<string> {
    const key = this.#last.then(() => this.#make(name));
    this.#last = key.catch(() => undefined);
    return key;
  }

  async #make(name: string): Promise<string> {
    const [key] = await makeKeys(this.#databaseUrl, [name]);
    return key;
  }
}

/** A key of each of these users, made without a command for each. */
export async function makeKeys(databaseUrl: string, names: readonly string[]): Promise<string[]> {
  const config = parseConfig({ MEMORYD_DATABASE_URL: databaseUrl, MEMORYD_EMBEDDER: 'none' });
  const storage = await openStorage(config, { exclusive: false });
  const users = new UserService(storage.users, systemClock);
  const keys = new KeyService({ keys: storage.keys, stores: storage, clock: systemClock });
  try {
    const made: string[] = [];
    for (const name of names)
      made.push((await keys.create(await users.ensure(name), { label: 'bench' })).apiKey);
    return made;
  } finally {
    await keys.flush();
    await storage.close();
  }
}

async function stopAndDrop(server: Server, database: TestDatabase): Promise<void> {
  await server.stop();
  await database.drop();
}

/** Resident memory of a process in MiB, as Linux counts it. */
export function residentMiB(pid: number): number {
  const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kib) / 1024);
}

/**
 * Milliseconds of processor time that all threads of a process
 * have used, as Linux counts them, to the nanosecond.
 */
export function processorMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((id) => {
    const [onProcessor] = readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ');
    return Number(onProcessor);
  });
  return nanoseconds.reduce((sum, value) => sum + value, 0) / 1e6;
}
