import { setTimeout as delay } from 'node:timers/promises';
import { mapConcurrently } from '../support/concurrently.ts';
import { newDatabase, type TestDatabase } from '../support/database.ts';
import { startEmbeddingServer } from '../support/embedding-server.ts';
import { patientClient } from '../support/http-client.ts';
import { poll } from '../support/poll.ts';
import { randomFrom } from '../support/random.ts';
import { readRows } from '../support/run-statement.ts';
import { type Server, startServer } from '../support/server.ts';
import { checkQuiesced } from './crash-check.ts';
import type { Quiesced } from './crash-ledger.ts';
import { demand, type Proof, type ProofContext, type ProofResult } from './proof.ts';
import { SteadyLoad, type Target } from './steady-load.ts';
import { newText } from './unique-text.ts';

const sizes = {
  small: { memories: 150, searchesPerSecond: 20, writesPerSecond: 5, checked: 50 },
  full: { memories: 2000, searchesPerSecond: 200, writesPerSecond: 50, checked: 1000 },
};
const changeDeadlineMs = 900_000;
const writersAtOnce = 16;

/** The model is changed to another and back, with a `kill -9` in each change. */
export const modelChange: Proof = {
  name: 'model-change',
  claim: 'a change of model under searches and writes, killed half-way, loses nothing and fails no search',
  run: proveModelChange,
};

type Settings = Record<string, string>;

/** The server; tells the load when it is down. */
class Restarted {
  target: Target = { url: '', key: '', starts: 0, isDown: true };
  readonly #database: TestDatabase;
  #server: Server | undefined;
  /** What went wrong inside, as the servers logged it. */
  readonly errors: string[] = [];

  constructor(database: TestDatabase) {
    this.#database = database;
  }

  async start(settings: Settings): Promise<void> {
    const server = await startServer({
      databaseUrl: this.#database.url,
      // Of random words the rules find relationships, which take memories out of searches.
      env: { MEMORYD_LOG_LEVEL: 'error', MEMORYD_DERIVE: 'false', ...settings },
    });
    this.#server = server;
    const { url, key } = server;
    this.target = { url, key, starts: this.target.starts + 1, isDown: false };
  }

  async end(how: 'stop' | 'kill'): Promise<void> {
    this.target = { ...this.target, isDown: true };
    await this.#server?.[how]();
    const lines = this.#server?.output().split('\n') ?? [];
    this.errors.push(...lines.filter((line) => line.includes('"code":"INTERNAL"')));
  }

  http() {
    return patientClient(this.target.url, this.target.key);
  }
}

interface SpaceBody {
  model: string;
  state: string;
  waiting: number;
  failed: number;
  done: number;
  total: number;
}

async function spacesOf(server: Restarted): Promise<SpaceBody[]> {
  type Status = { data: { embedding: { spaces: SpaceBody[] } } };
  const reply = await server.http().get<Status>('/api/system/context/status');
  demand(reply.status === 200, `the status answered ${reply.status}`, reply.text);
  return reply.body.data.embedding.spaces;
}

async function proveModelChange(context: ProofContext): Promise<ProofResult> {
  const plan = sizes[context.size];
  const random = randomFrom(context.seed);
  const database = await newDatabase(context.engine);
  const fake = await startEmbeddingServer({ dimension: 384, delayMs: 10 });
  const models = {
    static: { MEMORYD_EMBEDDER: 'static' },
    'stand-in': {
      MEMORYD_EMBEDDER: 'openai',
      MEMORYD_EMBEDDER_URL: fake.url,
      MEMORYD_EMBEDDER_MODEL: 'stand-in',
      MEMORYD_EMBEDDER_DIMENSIONS: '384',
    },
  };
  const server = new Restarted(database);
  let load: SteadyLoad | undefined;
  try {
    await server.start(models.static);
    const seeded = await seed(
      server,
      Array.from({ length: plan.memories }, () => newText(random)),
    );
    load = new SteadyLoad(() => server.target, random, seeded);
    load.start(plan);
    for (const model of ['stand-in', 'static'] as const) {
      const seconds = await change(server, models[model], random.float());
      await demandWhole(database);
      context.log(`${model} serves after ${seconds} s; ${load.searches} searches, ${load.writes} writes`);
    }
    await load.stop();
    const { failures } = load;
    const shown = [...failures.slice(0, 3), ...server.errors.slice(0, 3)];
    demand(failures.length === 0, `${failures.length} requests failed`, ...shown);
    await demandWhole(database);
    await checkQuiesced(server.http(), random.sample(load.written, plan.checked));
    await checkSemantic(server, random.sample(load.written, plan.checked));
    const { searches, writes, left } = load;
    return { counted: { searches, writes, 'not sent': left, memories: load.written.length } };
  } finally {
    await load?.stop();
    await server.end('kill');
    await fake.close();
    await database.drop();
  }
}

/** Restarts with another model, kills it while the new space is built, and waits until that one serves alone. */
async function change(server: Restarted, settings: Settings, time: number): Promise<number> {
  const began = Date.now();
  await server.end('stop');
  await server.start(settings);
  await poll('the new space is begun', async () => ((await spacesOf(server)).length > 1 ? true : undefined));
  await delay(time * 500);
  await server.end('kill');
  await server.start(settings);
  await poll(
    'the new space serves alone, and nothing waits',
    async () => {
      const spaces = await spacesOf(server);
      const [first] = spaces;
      const isDone = spaces.length === 1 && first.state === 'serving' && first.total === 0;
      return isDone && first.waiting < writersAtOnce ? true : undefined;
    },
    changeDeadlineMs,
  );
  return Math.round((Date.now() - began) / 1000);
}

async function seed(server: Restarted, texts: readonly string[]): Promise<Quiesced[]> {
  const http = server.http();
  const seeded: Quiesced[] = [];
  await mapConcurrently(texts, writersAtOnce, async (content) => {
    const body = { content, conversationId: 'NEW' };
    const reply = await http.post<{ data: { id: string } }>('/api/memories', body);
    demand(reply.status === 201, `a create answered ${reply.status}`, reply.text);
    seeded.push({ id: reply.body.data.id, content });
  });
  return seeded;
}

/** Every version has vectors in the space that serves or waits for them, and there are none of another. */
async function demandWhole(database: TestDatabase): Promise<void> {
  const serving = `(SELECT id FROM vector_spaces WHERE state = 'serving')`;
  const [{ lacking }] = await readRows(
    database,
    `SELECT count(*) AS lacking FROM memory_versions v
     WHERE NOT EXISTS (SELECT 1 FROM memory_vectors m
       WHERE m.user_id = v.user_id AND m.doc = v.doc AND m.space = ${serving})
     AND NOT EXISTS (SELECT 1 FROM jobs w
       WHERE w.user_id = v.user_id AND w.doc = v.doc AND w.step = 'embed' AND w.version = ${serving} AND w.due_at IS NOT NULL)`,
  );
  demand(Number(lacking) === 0, `${lacking} versions have no vectors`);
  const [{ others }] = await readRows(
    database,
    `SELECT count(*) AS others FROM memory_vectors WHERE space <> ${serving}`,
  );
  demand(Number(others) === 0, `${others} vectors are of a space that is gone`);
}

async function checkSemantic(server: Restarted, memories: readonly Quiesced[]): Promise<void> {
  const http = server.http();
  await mapConcurrently(memories, writersAtOnce, async ({ id, content }) => {
    const body = { query: content, searchMethod: 'semantic', context: false, limit: 20 };
    const reply = await http.post<{ data: { id: string }[] }>('/api/memories/search', body);
    demand(
      reply.body.data?.some((hit) => hit.id === id),
      `memory ${id} is not found by its meaning`,
      content,
      reply.text,
    );
  });
}
