import { newDatabase, sqlitePath } from '../support/database.ts';
import { client, patientClient } from '../support/http-client.ts';
import { type Random, randomFrom } from '../support/random.ts';
import { startServer } from '../support/server.ts';
import { newTempFolder } from '../support/temp-folder.ts';
import { checkQuiesced } from './crash-check.ts';
import type { Quiesced } from './crash-ledger.ts';
import { startCopies } from './online-copies.ts';
import { demand, type Proof, type ProofContext, type ProofResult } from './proof.ts';
import { checkSqliteFile } from './sqlite-file.ts';
import { newText } from './unique-text.ts';

const durationsMs = { small: 3_000, full: 30_000 };
const writers = 64;
const readBackMax = 2_000;

/** Many writers while another process copies the store. */
export const soak: Proof = {
  name: 'soak',
  claim: '64 writers with an online copy of the store running: no error, and the copy is sound',
  run: proveSoak,
};

async function proveSoak(context: ProofContext): Promise<ProofResult> {
  const database = await newDatabase(context.engine);
  const folder = newTempFolder('soak');
  const server = await startServer({ databaseUrl: database.url });
  const random = randomFrom(context.seed);
  try {
    const written: Quiesced[] = [];
    const online = startCopies(database, folder.path, () => written.length);
    const end = Date.now() + durationsMs[context.size];
    await Promise.all(
      Array.from({ length: writers }, () => {
        const own = randomFrom(random.int(0, 2 ** 31));
        return writeUntil(end, { url: server.url, key: server.key, random: own, written });
      }),
    );
    const copies = await online.finish();
    demand(copies > 0, 'no copy was made');
    context.log(`${written.length} memories written, ${copies} copies made; reading back`);
    const readBack = random.sample(written, readBackMax);
    await checkQuiesced(client(server.url, server.key), readBack);
    const code = await server.stop();
    demand(code === 0, `SIGTERM ended with ${code}`, server.output());
    if (database.engine === 'sqlite') checkSqliteFile(sqlitePath(database.url));
    return { counted: { memories: written.length, copies, 'read back': readBack.length } };
  } finally {
    await server.kill();
    folder.remove();
    await database.drop();
  }
}

interface Writer {
  readonly url: string;
  readonly key: string;
  readonly random: Random;
  /** Of all writers, in the order of their answers. */
  readonly written: Quiesced[];
}

async function writeUntil(end: number, writer: Writer): Promise<void> {
  // A refusal under load is no error: the server says when to ask again, and the SDK does.
  const http = patientClient(writer.url, writer.key);
  let conversationId = 'NEW';
  while (Date.now() < end) {
    const content = newText(writer.random);
    const body = { content, conversationId, topics: ['soak'] };
    const reply = await http.post<{ data: { id: string; conversationId: string } }>('/api/memories', body);
    demand(reply.status === 201, `a create answered ${reply.status}`, reply.text);
    writer.written.push({ id: reply.body.data.id, content });
    conversationId = reply.body.data.conversationId;
  }
}
