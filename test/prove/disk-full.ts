import { join } from 'node:path';
import { type Client, patientClient, type Reply } from '../support/http-client.ts';
import { poll } from '../support/poll.ts';
import { type Random, randomFrom } from '../support/random.ts';
import { startServer } from '../support/server.ts';
import { newSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { checkQuiesced } from './crash-check.ts';
import type { Quiesced } from './crash-ledger.ts';
import { demand, type Proof, type ProofContext, type ProofResult } from './proof.ts';
import { checkSqliteCopy } from './sqlite-file.ts';
import { newText } from './unique-text.ts';

const startSizes = { small: '4m', full: '16m' };
const laterSize = '64m';
const writers = 8;
const bigTextLength = 20_000;

/** A SQLite file on a disk that fills up. */
export const diskFull: Proof = {
  name: 'disk-full',
  claim:
    'a full disk answers writes with 503, goes on reading, loses nothing, and recovers without a restart',
  run: proveDiskFull,
};

async function proveDiskFull(context: ProofContext): Promise<ProofResult> {
  if (context.engine === 'postgres')
    return { skipped: 'the disk of a PostgreSQL server is not ours to fill' };
  const disk = newSmallDisk(startSizes[context.size]);
  if ('refusal' in disk)
    return { skipped: `needs a small tmpfs, and mounting one is refused here: ${disk.refusal}` };
  try {
    return await fillAndRecover(context, disk);
  } finally {
    disk.remove();
  }
}

async function fillAndRecover(context: ProofContext, disk: SmallDisk): Promise<ProofResult> {
  const path = join(disk.path, 'memoryd.db');
  const databaseUrl = `sqlite:${path}`;
  const random = randomFrom(context.seed);
  let server = await startServer({ databaseUrl });
  try {
    let http = patientClient(server.url, server.key);
    const kept = await fillDisk(http, random);
    context.log(`the disk is full after ${kept.length} memories`);
    await checkQuiesced(http, kept);
    await checkRefusals(http, random, kept);
    await checkQuiesced(http, kept);
    disk.resize(laterSize);
    kept.push(await poll('a create works on the larger disk', () => tryCreate(http, newText(random))));
    await checkQuiesced(http, kept);
    await server.kill();
    checkSqliteCopy(path);
    server = await startServer({ databaseUrl });
    http = patientClient(server.url, server.key);
    await checkQuiesced(http, kept);
    const listed = await http.get<{ pagination: { count: number } }>('/api/memories?limit=1');
    const { count } = listed.body.pagination;
    demand(count === kept.length, `${count} memories are there, ${kept.length} were acknowledged`);
    return { counted: { memories: kept.length } };
  } finally {
    await server.kill();
  }
}

/** Writes from several connections until each was refused; what was acknowledged. */
async function fillDisk(http: Client, random: Random): Promise<Quiesced[]> {
  const kept: Quiesced[] = [];
  const fill = async () => {
    for (;;) {
      const created = await tryCreate(http, `${newText(random)} ${'x '.repeat(bigTextLength / 2)}`);
      if (!created) return;
      kept.push(created);
    }
  };
  await Promise.all(Array.from({ length: writers }, fill));
  return kept;
}

/** While the disk is full: every kind of write is refused whole, or done whole where it still fits. */
async function checkRefusals(http: Client, random: Random, kept: Quiesced[]): Promise<void> {
  const [first] = kept;
  demand(first !== undefined, 'nothing was written before the disk was full');
  const content = `${newText(random)} ${'y '.repeat(bigTextLength / 2)}`;
  const update = await http.put(`/api/memories/${first.id}`, { content });
  if (update.status === 200) first.content = content;
  else demandRefusal(update);
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const created = await tryCreate(http, newText(random));
    if (created) kept.push(created);
  }
  const live = await http.get('/livez');
  demand(live.status === 200, `/livez answers ${live.status} on a full disk`);
  const list = await http.get('/api/memories?limit=5');
  demand(list.status === 200, `a list answers ${list.status} on a full disk`, list.text);
}

async function tryCreate(http: Client, content: string): Promise<Quiesced | undefined> {
  const reply = await http.post<{ data: { id: string } }>('/api/memories', { content });
  if (reply.status === 201) return { id: reply.body.data.id, content };
  demandRefusal(reply);
  return undefined;
}

function demandRefusal(reply: Reply<unknown>): void {
  demand(reply.status === 503, `a write on a full disk answers ${reply.status}`, reply.text);
  const { retryAfter } = reply.body as { retryAfter?: unknown };
  demand(typeof retryAfter === 'number', 'a 503 has no retryAfter', reply.text);
}
