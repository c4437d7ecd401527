import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { poll } from './poll.ts';
import { findFreePort, keepTail } from './server.ts';
import { newTempFolder } from './temp-folder.ts';

/** PgBouncer in transaction mode, as installed, with no setting for our sake. */
export interface Pgbouncer {
  /** Its `host:port`. */
  readonly host: string;
  /** The URL of a database of the test server, through it. */
  through(url: string): string;
  stop(): Promise<void>;
}

/** Sessions with the server for each database: fewer than the connections of one service. */
const sessionsPerDatabase = 6;
const clientsMax = 500;

/** Where Debian's package puts it, which a shell of no root may not look at. */
const program = '/usr/sbin/pgbouncer';
export const hasPgbouncer = spawnSync(program, ['--version']).status === 0;

/** @param server URL of the test server @throws Error with its output if it does not answer within 20 s */
export async function startPgbouncer(server: string): Promise<Pgbouncer> {
  const { hostname, port: serverPort, username, password } = new URL(server);
  const port = await findFreePort();
  const folder = newTempFolder('pgbouncer');
  const users = join(folder.path, 'users');
  const settings = join(folder.path, 'pgbouncer.ini');
  writeFileSync(users, `"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"\n`);
  writeFileSync(
    settings,
    `[databases]
* = host=${hostname} port=${serverPort || 5432}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${sessionsPerDatabase}
max_client_conn = ${clientsMax}
server_idle_timeout = 30
`,
  );
  // It refuses to be root.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const path of [folder.path, users, settings]) chmodSync(path, 0o755);
  const child = spawn(program, [...(isRoot ? ['-u', 'nobody'] : []), settings], { stdio: 'pipe' });
  // It must not outlive a run that ends early.
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  const output = keepTail(child);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = async () => {
    kill();
    process.off('exit', kill);
    await ended;
    folder.remove();
  };
  const through = (url: string) => {
    const changed = new URL(url);
    changed.host = `127.0.0.1:${port}`;
    return changed.toString();
  };
  try {
    await poll('PgBouncer answers', () => answersSql(through(server)));
  } catch (error) {
    await stop();
    throw new Error(`PgBouncer did not start. It printed:\n${output()}`, { cause: error });
  }
  return { host: `127.0.0.1:${port}`, through, stop };
}

/** True once a server takes a statement; for `poll`. */
export async function answersSql(url: string): Promise<true | undefined> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    // It is starting: `poll` asks again until its deadline.
    return undefined;
  } finally {
    await client.end().catch(() => undefined);
  }
}
