import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newDatabase, sqlitePath } from '../support/database.ts';
import { client, patientClient } from '../support/http-client.ts';
import { type Random, randomFrom } from '../support/random.ts';
import { startServer } from '../support/server.ts';
import { newTempFolder } from '../support/temp-folder.ts';
import { checkSettled } from './crash-check.ts';
import type { Settled } from './crash-ledger.ts';
import { demand, type Proof, type ProofContext, type ProofResult } from './proof.ts';
import { checkSqliteFile } from './sqlite-file.ts';
import { newText } from './unique-text.ts';

const durationsMs = { small: 3_000, full: 30_000 };
const writers = 64;
const readBackMax = 2_000;

/** Many writers while another process copies the file. */
export const soak: Proof = {
  name: 'soak',
  claim: '64 writers with an online copy of the file running: no error, and the copy is sound',
  run: proveSoak,
};

async function proveSoak(context: ProofContext): Promise<ProofResult> {
  if (context.engine === 'postgres')
    return { skipped: 'an online copy of the file is a matter of SQLite; PostgreSQL has its own backups' };
  const database = await newDatabase(context.engine);
  const folder = newTempFolder('soak');
  const copyPath = join(folder.path, 'copy.db');
  const server = await startServer({ databaseUrl: database.url });
  const random = randomFrom(context.seed);
  try {
    const copier = startCopier(sqlitePath(database.url), copyPath);
    const end = Date.now() + durationsMs[context.size];
    const written = await Promise.all(
      Array.from({ length: writers }, () => {
        const own = randomFrom(random.int(0, 2 ** 31));
        return writeUntil(end, { url: server.url, key: server.key, random: own });
      }),
    );
    const copies = await copier.finish();
    demand(copies > 0, 'no copy was made');
    checkSqliteFile(copyPath);
    const all = written.flat();
    context.log(`${all.length} memories written, ${copies} copies made; reading back`);
    await checkSettled(client(server.url, server.key), random.sample(all, readBackMax));
    const code = await server.stop();
    demand(code === 0, `SIGTERM ended with ${code}`, server.output());
    checkSqliteFile(sqlitePath(database.url));
    return { counted: { memories: all.length, copies, 'read back': Math.min(readBackMax, all.length) } };
  } finally {
    await server.kill();
    folder.remove();
    await database.drop();
  }
}

async function writeUntil(
  end: number,
  writer: { url: string; key: string; random: Random },
): Promise<Settled[]> {
  // A refusal under load is no error: the server says when to ask again, and the SDK does.
  const http = patientClient(writer.url, writer.key);
  const written: Settled[] = [];
  let conversationId = 'NEW';
  while (Date.now() < end) {
    const content = newText(writer.random);
    const body = { content, conversationId, topics: ['soak'] };
    const reply = await http.post<{ data: { id: string; conversationId: string } }>('/api/memories', body);
    demand(reply.status === 201, `a create answered ${reply.status}`, reply.text);
    written.push({ id: reply.body.data.id, content });
    conversationId = reply.body.data.conversationId;
  }
  return written;
}

function startCopier(source: string, target: string): { finish(): Promise<number> } {
  const script = fileURLToPath(new URL('./online-copy.ts', import.meta.url));
  const repository = fileURLToPath(new URL('../../', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, source, target], {
    cwd: repository,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let printed = '';
  let failures = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    failures += chunk.toString();
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return {
    async finish() {
      child.stdin.end();
      const code = await exited;
      demand(code === 0, `the copy failed with ${code}`, failures);
      return printed.trim().split('\n').length;
    },
  };
}
