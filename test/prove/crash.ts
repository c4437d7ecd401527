import { setTimeout as delay } from 'node:timers/promises';
import { newDatabase, sqlitePath } from '../support/database.ts';
import { patientClient } from '../support/http-client.ts';
import { type Random, randomFrom } from '../support/random.ts';
import { type Server, startServer } from '../support/server.ts';
import { checkAfterCrash, checkQuiesced } from './crash-check.ts';
import type { Quiesced, WriterLog } from './crash-ledger.ts';
import { writeUntilKilled } from './crash-writer.ts';
import type { Proof, ProofContext, ProofResult } from './proof.ts';
import { checkSqliteCopy } from './sqlite-file.ts';

const sizes = { small: { kills: 6, requestsMax: 150 }, full: { kills: 200, requestsMax: 600 } };
const writers = 16;
const olderSampled = 40;

/** `kill -9` at random moments under 16 writers. */
export const crash: Proof = {
  name: 'crash',
  claim: 'kill -9 loses nothing acknowledged and leaves nothing half written',
  run: proveCrash,
};

async function proveCrash(context: ProofContext): Promise<ProofResult> {
  const { kills, requestsMax } = sizes[context.size];
  const random = randomFrom(context.seed);
  const database = await newDatabase(context.engine);
  const quiesced: Quiesced[] = [];
  let asked = 0;
  let server = await startServer({ databaseUrl: database.url });
  try {
    for (let round = 1; round <= kills; round += 1) {
      const sends = random.int(1, requestsMax);
      asked += sends;
      const logs = await writeAndKill(server, { round, sends, random });
      if (database.engine === 'sqlite') checkSqliteCopy(sqlitePath(database.url));
      server = await startServer({ databaseUrl: database.url });
      const http = patientClient(server.url, server.key);
      await checkQuiesced(http, random.sample(quiesced, olderSampled));
      quiesced.push(...(await checkAfterCrash(http, logs)));
      if (round % 10 === 0) context.log(`${round} of ${kills} kills, ${quiesced.length} memories kept`);
    }
    await checkQuiesced(patientClient(server.url, server.key), quiesced);
  } finally {
    await server.kill();
    await database.drop();
  }
  return { counted: { kills, 'requests at least': asked, 'memories kept': quiesced.length } };
}

/** Kills the process within some milliseconds after so many requests were sent. */
async function writeAndKill(
  server: Server,
  plan: { round: number; sends: number; random: Random },
): Promise<WriterLog[]> {
  const { round, random } = plan;
  let sent = 0;
  let killed = false;
  let gone: Promise<void> | undefined;
  const kill = async () => {
    await delay(random.float() * 8);
    killed = true;
    await server.kill();
  };
  const onSend = () => {
    sent += 1;
    if (sent === plan.sends) gone = kill();
  };
  const seeds = Array.from({ length: writers }, () => random.int(0, 2 ** 31));
  const logs = await Promise.all(
    seeds.map((seed, index) =>
      writeUntilKilled({
        server,
        random: randomFrom(seed),
        name: `kept-${round}-${index}`,
        onSend,
        isKilled: () => killed,
      }),
    ),
  );
  await gone;
  return logs;
}
