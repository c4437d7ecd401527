import { parseArgs } from 'node:util';
import { awaitSteps } from '../test/support/await-steps.ts';
import { client } from '../test/support/http-client.ts';
import { createUserKey, type Engine, newDatabase, startServer } from '../test/support/server.ts';
import type { Conversation } from './locomo/data-set.ts';
import { importConversation } from './locomo/import-conversation.ts';
import { describeEnvironment } from './report/environment.ts';
import { toTable } from './report/table.ts';
import { writeResult } from './report/write-result.ts';
import { readTalks } from './talks/read-talks.ts';

interface Pattern {
  readonly type: string;
  readonly description: string;
  readonly confidence: number;
  readonly occurrences: number;
}

interface OfUser {
  readonly user: string;
  readonly memories: number;
  readonly patterns: readonly Pattern[];
}

/** Finds the patterns of each user of the talks in a separate service, and prints them all for review. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      out: { type: 'string' },
      users: { type: 'string' },
      engine: { type: 'string', default: 'sqlite' },
      confidence: { type: 'string', default: '0' },
    },
  });
  const environment = describeEnvironment();
  const { conversations } = readTalks();
  const all: OfUser[] = [];
  for (const conversation of conversations.slice(0, values.users ? Number(values.users) : undefined)) {
    const found = await patternsOf(values.engine as Engine, conversation, Number(values.confidence));
    console.log(`\n${found.user}: ${found.patterns.length} patterns in ${found.memories} memories\n`);
    console.log(toTable(['type', 'confidence', 'memories', 'pattern'], found.patterns.map(toRow)));
    all.push(found);
  }
  console.log(`\n${environment.commit}, node ${environment.node}, ${environment.measuredAt}`);
  console.log(`JSON: ${writeResult('patterns', { environment, users: all }, values.out)}`);
}

const toRow = ({ type, confidence, occurrences, description }: Pattern) => [
  type,
  confidence.toFixed(2),
  String(occurrences),
  description,
];

async function patternsOf(engine: Engine, talk: Conversation, minConfidence: number): Promise<OfUser> {
  const database = await newDatabase(engine);
  const server = await startServer({ databaseUrl: database.url });
  try {
    const http = client(server.url, await createUserKey(database.url, talk.id));
    const turnIds = await importConversation(http, talk);
    await awaitSteps(http);
    const { status, body, text } = await http.post<{ data: { detectedPatterns: Pattern[] } }>(
      '/api/patterns/detect',
      { minConfidence, maxResults: 500, autoStore: false },
    );
    if (status !== 200) throw new Error(`the detection answered ${status}: ${text}`);
    return { user: talk.id, memories: turnIds.size, patterns: body.data.detectedPatterns };
  } finally {
    await server.stop();
    await database.drop();
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
