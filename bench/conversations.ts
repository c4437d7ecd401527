import { parseArgs } from 'node:util';
import { type Client, client } from '../test/support/http-client.ts';
import {
  createUserKey,
  type Engine,
  engines,
  newDatabase,
  type Server,
  startServer,
} from '../test/support/server.ts';
import { type Conversation, type DataSet, developmentHalf, readDataSet } from './locomo/data-set.ts';
import { importConversation } from './locomo/import-conversation.ts';
import { type RankedQuestion, recallAt, reciprocalRank, resultsMax } from './locomo/score.ts';
import { embedderSettings } from './report/embedder-settings.ts';
import { describeEnvironment } from './report/environment.ts';
import { toTable } from './report/table.ts';
import { writeResult } from './report/write-result.ts';

const embedders = ['static', 'none'] as const;

interface Measured {
  readonly run: string;
  readonly questions: number;
  readonly recall1: number;
  readonly recall3: number;
  readonly mrr: number;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { out: { type: 'string' } },
  });
  const file = positionals[0] ?? developmentHalf;
  const set = readDataSet(file);
  const measured: Measured[] = [];
  for (const engine of engines)
    for (const embedder of embedders) measured.push(await measure(set, engine, embedder));
  const rows = measured.map(({ run, questions, recall1, recall3, mrr }) => [
    run,
    String(questions),
    ...[recall1, recall3, mrr].map((value) => value.toFixed(4)),
  ]);
  console.log(toTable(['engine, embedder', 'questions', 'recall@1', 'recall@3', 'MRR'], rows));
  const environment = describeEnvironment();
  console.log(`\n${environment.commit}, node ${environment.node}, ${environment.measuredAt}`);
  console.log(`JSON: ${writeResult('conversations', { environment, file, measured }, values.out)}`);
}

async function measure(set: DataSet, engine: Engine, embedder: string): Promise<Measured> {
  const database = await newDatabase(engine);
  let server: Server | undefined;
  try {
    server = await startServer({ databaseUrl: database.url, env: embedderSettings(embedder) });
    const ranked: RankedQuestion[] = [];
    for (const conversation of set.conversations) {
      const http = client(server.url, await createUserKey(database.url, conversation.id));
      await importConversation(http, conversation);
      ranked.push(...(await ask(http, conversation)));
    }
    const mean = (of: (question: RankedQuestion) => number) =>
      ranked.reduce((sum, question) => sum + of(question), 0) / ranked.length;
    const mrr = mean(reciprocalRank);
    if (!(mrr > 0)) throw new Error('hollow: no conversation with evidence was found');
    return {
      run: `${engine}, ${embedder}`,
      questions: ranked.length,
      recall1: mean((question) => recallAt(1, question)),
      recall3: mean((question) => recallAt(3, question)),
      mrr,
    };
  } finally {
    await server?.stop();
    await database.drop();
  }
}

/** The sessions found for each question, by title, and those in which its evidence was said. */
async function ask(http: Client, { sessions, questions }: Conversation): Promise<RankedQuestion[]> {
  const saidIn = new Map(
    sessions.flatMap(({ number, turns }) => turns.map(({ id }) => [id, `Session ${number}`] as const)),
  );
  const ranked: RankedQuestion[] = [];
  for (const { question, category, evidence } of questions) {
    const body = { query: question, limit: resultsMax };
    const answer = await http.post<{ data: { title: string }[] }>('/api/conversations/search', body);
    if (answer.status !== 200) throw new Error(`"${question}" answered ${answer.status}: ${answer.text}`);
    const found = answer.body.data.map(({ title }) => title);
    ranked.push({ category, evidence: evidence.map((id) => saidIn.get(id) ?? ''), found });
  }
  return ranked;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
