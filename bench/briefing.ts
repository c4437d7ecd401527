import { parseArgs } from 'node:util';
import { type Client, client } from '../test/support/http-client.ts';
import { createUserKey, type Engine, newDatabase, startServer } from '../test/support/server.ts';
import { type Conversation, developmentHalf, readDataSet } from './locomo/data-set.ts';
import { importConversation, toContent } from './locomo/import-conversation.ts';
import { embedderSettings } from './report/embedder-settings.ts';
import { describeEnvironment } from './report/environment.ts';
import { toTable } from './report/table.ts';
import { writeResult } from './report/write-result.ts';
import { readTalks } from './talks/read-talks.ts';

const digestTokens = 800;
const contextTokens = 1200;
const sourcesOfLocomo = 20;
const tasksFolder = 'bench/data/tasks';
const tokensOfTask = 500;

/** Whether each kind of briefing contains a whole turn of the question's evidence. */
interface Answered {
  readonly category: string;
  readonly digest: boolean;
  readonly context: boolean;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      out: { type: 'string' },
      users: { type: 'string' },
      locomo: { type: 'boolean' },
      tasks: { type: 'boolean' },
      engine: { type: 'string', default: 'sqlite' },
      embedder: { type: 'string', default: 'bundled' },
    },
  });
  const engine = values.engine as Engine;
  const environment = describeEnvironment();
  const set = values.locomo ? readDataSet(developmentHalf) : values.tasks ? readTasks() : readTalks();
  const ask = values.locomo ? askLocomo : values.tasks ? askTask : askTalk;
  const conversations = set.conversations.slice(0, values.users ? Number(values.users) : undefined);
  const answered: Answered[] = [];
  for (const conversation of conversations)
    answered.push(...(await withUser({ engine, embedder: values.embedder }, conversation, ask)));
  console.log(report(answered, values.locomo ?? false));
  console.log(`\n${environment.commit}, node ${environment.node}, ${environment.measuredAt}`);
  console.log(`JSON: ${writeResult('briefing', { environment, answered }, values.out)}`);
}

type Ask = (
  http: Client,
  conversation: Conversation,
  turnIds: ReadonlyMap<string, string>,
) => Promise<Answered[]>;

interface Service {
  readonly engine: Engine;
  readonly embedder: string;
}

async function withUser(
  { engine, embedder }: Service,
  conversation: Conversation,
  ask: Ask,
): Promise<Answered[]> {
  const database = await newDatabase(engine);
  const server = await startServer({ databaseUrl: database.url, env: embedderSettings(embedder) });
  try {
    const http = client(server.url, await createUserKey(database.url, conversation.id));
    const turnIds = await importConversation(http, conversation);
    return await ask(http, conversation, turnIds);
  } finally {
    await server.stop();
    await database.drop();
  }
}

/** Checks for a turn of the evidence in the text, word for word. */
const askTalk: Ask = async (http, { sessions, questions }) => {
  const turns = new Map(sessions.flatMap(({ turns: own }) => own.map((turn) => [turn.id, toContent(turn)])));
  const answered: Answered[] = [];
  for (const { question, category, evidence } of questions) {
    const texts = evidence.map((id) => turns.get(id) ?? '');
    const holds = (text: string) => texts.some((turn) => text.includes(turn));
    const digest = await post<{ digest: string }>(http, '/api/memories/digest', {
      query: question,
      format: 'structured',
      tokenBudget: digestTokens,
    });
    const context = await post<object>(http, '/api/memories/build-context', {
      context: question,
      tokenBudget: contextTokens,
    });
    answered.push({
      category,
      digest: holds(digest.digest),
      context: holds(JSON.stringify(context).replaceAll('\\"', '"')),
    });
  }
  return answered;
};

/** Checks for a turn of the evidence among the sources of a digest. */
const askLocomo: Ask = async (http, { questions }, turnIds) => {
  const answered: Answered[] = [];
  for (const { question, category, evidence } of questions) {
    const { sources } = await post<{ sources: { memoryId: string }[] }>(http, '/api/memories/digest', {
      query: question,
      maxSources: sourcesOfLocomo,
    });
    const isFound = sources.some(({ memoryId }) => evidence.includes(turnIds.get(memoryId) ?? ''));
    answered.push({ category, digest: isFound, context: false });
  }
  return answered;
};

/** Tasks: memories without a speaker; the category of a question is the file, the answer has paths. */
function readTasks() {
  const { conversations, ...set } = readTalks(tasksFolder);
  for (const { id, sessions, questions } of conversations) {
    for (const turn of sessions.flatMap(({ turns }) => turns)) turn.speaker = '';
    for (const question of questions) question.category = id;
  }
  return { ...set, conversations };
}

/** Checks for a wanted memory, whole or shortened, among those of a context. */
const askTask: Ask = async (http, { questions }, turnIds) => {
  const answered: Answered[] = [];
  for (const { question, category, answer, evidence } of questions) {
    const { relevantMemories } = await post<{ relevantMemories: { id: string }[] }>(
      http,
      '/api/memories/build-context',
      { context: question, files: answer === '' ? [] : [answer], tokenBudget: tokensOfTask },
    );
    const isFound = relevantMemories.some(({ id }) => evidence.includes(turnIds.get(id) ?? ''));
    answered.push({ category, digest: false, context: isFound });
  }
  return answered;
};

async function post<T>(http: Client, path: string, body: object): Promise<T> {
  const answer = await http.post<T>(path, body);
  if (answer.status !== 200) throw new Error(`POST ${path} answered ${answer.status}: ${answer.text}`);
  return answer.body;
}

function report(answered: readonly Answered[], isLocomo: boolean): string {
  const categories = [...new Set(answered.map(({ category }) => category))].sort();
  const rows = [...categories, 'all'].map((name) => {
    const own = answered.filter(({ category }) => name === 'all' || category === name);
    const share = (of: (one: Answered) => boolean) => (own.filter(of).length / own.length).toFixed(3);
    return [
      name,
      String(own.length),
      share(({ digest }) => digest),
      isLocomo ? '' : share(({ context }) => context),
    ];
  });
  return toTable(['category', 'questions', 'digest', isLocomo ? '' : 'build-context'], rows);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
