/**
 * Kills a worker of Citus under writers of 20 users, starts it again, and looks that nothing that was answered is lost.
 * Arguments: the file with the process id of its server, and what starts it again, for bash.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { client } from '../../test/support/http-client.ts';
import { poll } from '../../test/support/poll.ts';
import { createUserKey, newDatabase, runMemoryd, startServer } from '../../test/support/server.ts';

const users = 20;
const phaseMs = 5000;
/** What clients may see of it: nothing wrong, and a refusal that says to come again. */
const allowed = new Set([201, 503]);

interface Written {
  readonly key: string;
  readonly id: string;
}

async function write(url: string, key: string, written: Written[], signal: AbortSignal): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; !signal.aborted; i++) {
    const { status, body } = await client(url, key).post<{ data: { id: string } }>('/api/memories', {
      content: `note ${i}`,
      conversationId: 'NEW',
    });
    statuses.push(status);
    if (status === 201) written.push({ key, id: body.data.id });
    else await wait(100);
  }
  return statuses;
}

async function main([pidFile, start]: readonly string[]): Promise<void> {
  const database = await newDatabase('postgres');
  const server = await startServer({ databaseUrl: database.url });
  const keys: string[] = [];
  for (let i = 0; i < users; i++) keys.push(await createUserKey(database.url, `user${i}`));
  const written: Written[] = [];
  const stop = new AbortController();
  const writers = keys.map((key) => write(server.url, key, written, stop.signal));
  await wait(phaseMs);
  process.kill(Number(readFileSync(pidFile, 'utf8').split('\n')[0]), 'SIGKILL');
  const before = written.length;
  await wait(phaseMs);
  const during = written.length - before;
  execFileSync('bash', ['-c', start], { stdio: 'inherit' });
  await wait(phaseMs);
  stop.abort();
  const statuses = (await Promise.all(writers)).flat();
  const wrong = statuses.filter((status) => !allowed.has(status));
  const read = ({ key, id }: Written) => client(server.url, key).get(`/api/memories/${id}`);
  await poll('an answer of each user', async () =>
    (await Promise.all(keys.map((key) => client(server.url, key).get('/api/memories')))).every(
      ({ status }) => status === 200,
    )
      ? true
      : undefined,
  );
  let lost = 0;
  for (const each of written) if ((await read(each)).status !== 200) lost++;
  await server.stop();
  const check = await runMemoryd(database.url, ['check']);
  await database.drop();
  const refused = statuses.filter((status) => status === 503).length;
  console.log(
    `${written.length} creates answered, ${during} of them without the worker; ${refused} refused, ${wrong.length} failed otherwise, ${lost} lost; check: ${check.code === 0 ? 'nothing is wrong' : check.stdout}`,
  );
  if (wrong.length > 0 || lost > 0 || during === 0 || check.code !== 0) process.exitCode = 1;
}

await main(process.argv.slice(2));
