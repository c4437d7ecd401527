import { execFile, execFileSync, spawn } from 'node:child_process';
import { appendFileSync, chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { answersSql } from './pgbouncer.ts';
import { poll } from './poll.ts';
import { findFreePort, keepTail } from './server.ts';
import { newTempFolder } from './temp-folder.ts';

/** A PostgreSQL server of a test's own, on 127.0.0.1. */
export interface PostgresServer {
  /** Of its database `postgres`. */
  readonly url: string;
  /** A server that streams from this one. */
  addReplica(): Promise<PostgresServer>;
  /** Makes a replica a server that writes; resolves when it does. */
  promote(): Promise<void>;
  /** At once, as if the machine had failed. */
  kill(): Promise<void>;
}

/** Where Debian's packages put the programs, the newest first. */
const programs = folderOfPrograms();
/** The server refuses to be root. */
const owner: { uid?: number; gid?: number } | undefined = process.getuid?.() === 0 ? idsOfPostgres() : {};
/** Whether this machine has what `startPostgres` needs. */
export const hasPostgresPrograms = programs !== undefined && owner !== undefined;

function folderOfPrograms(): string | undefined {
  const parent = '/usr/lib/postgresql';
  if (!existsSync(parent)) return undefined;
  const folders = readdirSync(parent).sort((a, b) => Number(b) - Number(a));
  return folders
    .map((name) => join(parent, name, 'bin'))
    .find((path) => existsSync(join(path, 'pg_basebackup')));
}

function idsOfPostgres(): { uid: number; gid: number } | undefined {
  try {
    const idOf = (option: string) =>
      Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8', stdio: 'pipe' }));
    return { uid: idOf('-u'), gid: idOf('-g') };
  } catch {
    // The machine has no such user.
    return undefined;
  }
}

async function run(program: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)(join(programs ?? '', program), [...args], { ...owner, cwd: '/' });
}

/** Empty, with trust for all of this machine. @throws Error with its output if it does not answer within 20 s */
export async function startPostgres(): Promise<PostgresServer> {
  return start(async (data) => {
    await run('initdb', [
      '-D',
      data,
      '-U',
      'postgres',
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C.UTF-8',
    ]);
    const settings = ['fsync = off', 'wal_level = replica', 'max_wal_senders = 5', 'shared_buffers = 32MB'];
    appendFileSync(join(data, 'postgresql.conf'), `\n${settings.join('\n')}\n`);
  });
}

async function start(fill: (data: string) => Promise<void>): Promise<PostgresServer> {
  const folder = newTempFolder('postgres');
  const data = join(folder.path, 'data');
  mkdirSync(data, { mode: 0o700 });
  const { uid, gid } = owner ?? {};
  if (uid !== undefined && gid !== undefined)
    for (const path of [folder.path, data]) chownSync(path, uid, gid);
  await fill(data);
  const port = await findFreePort();
  const args = [
    '-D',
    data,
    '-p',
    String(port),
    '-c',
    'listen_addresses=127.0.0.1',
    '-c',
    'unix_socket_directories=',
  ];
  const child = spawn(join(programs ?? '', 'postgres'), args, { ...owner, cwd: '/', stdio: 'pipe' });
  // Its children end with it. It must not outlive a run that ends early.
  const quit = () => void child.kill('SIGQUIT');
  process.once('exit', quit);
  const output = keepTail(child);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const kill = async () => {
    quit();
    process.off('exit', quit);
    await ended;
    folder.remove();
  };
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  try {
    await poll('PostgreSQL answers', () => answersSql(url));
  } catch (error) {
    await kill();
    throw new Error(`PostgreSQL did not start. It printed:\n${output()}`, { cause: error });
  }
  return {
    url,
    kill,
    promote: () => run('pg_ctl', ['promote', '-w', '-D', data]),
    addReplica: () =>
      start((copy) =>
        run('pg_basebackup', ['-d', url, '-D', copy, '-R', '--checkpoint=fast', '--wal-method=stream']),
      ),
  };
}
