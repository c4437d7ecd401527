import { randomUUID } from 'node:crypto';
import { parseConfig } from '../../src/config/load.ts';
import { createServices, openStorage } from '../../src/container.ts';
import type { User } from '../../src/domain/users/user.ts';
import { embedderOf } from '../../src/embedding/embedder-of.ts';
import { embeddersIn, loadModels } from '../../src/embedding/load-models.ts';
import type { AppServices } from '../../src/http/services.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { analyzeQuery, analyzeWithOffsets } from '../../src/retrieval/analysis/index.ts';
import { candidatesFor } from '../../src/retrieval/candidates.ts';
import type { Weights } from '../../src/retrieval/fuse/weights.ts';
import { IndexCache } from '../../src/retrieval/index/index-cache.ts';
import { planSearch } from '../../src/retrieval/plan.ts';
import { firstRows } from '../../src/retrieval/rank/order.ts';
import { byScore } from '../../src/retrieval/rank/sort-orders.ts';
import { shippedRanking } from '../../src/retrieval/ranking.ts';
import type { SearchMethod, SearchRequest } from '../../src/retrieval/request.ts';
import { type AskedArms, askArms, fuseAsked, type SearchDeps } from '../../src/retrieval/search.ts';
import { searchDefaults } from '../../src/retrieval/search-defaults.ts';
import { QueryVectors } from '../../src/retrieval/vectors/query-vectors.ts';
import type { StorageEngine } from '../../src/storage/engine.ts';
import { newDatabase } from '../../test/support/database.ts';
import type { Conversation, Question, Turn } from './data-set.ts';
import { toContent } from './import-conversation.ts';
import { type RankedQuestion, resultsMax } from './score.ts';

interface PreparedQuestion {
  readonly question: Question;
  readonly asked: AskedArms;
}

/** One file conversation as a user, and what the arms find for each of its questions. */
export interface Prepared {
  /** Turn by the document of its memory. */
  readonly turnIds: ReadonlyMap<number, string>;
  readonly questions: readonly PreparedQuestion[];
}

/** A store of its own, searched without HTTP. */
export interface InProcess {
  /**
   * @param contentOf the text of a turn's memory
   * @param stored whose memories are asked; the conversation itself where it is left out
   */
  prepare(
    conversation: Conversation,
    method: SearchMethod,
    contentOf?: (turn: Turn) => string,
    stored?: Conversation,
  ): Promise<Prepared>;
  close(): Promise<void>;
}

/** @param clock what times in questions are counted from */
export async function openInProcess(clock: Clock = systemClock): Promise<InProcess> {
  const database = await newDatabase('sqlite');
  const config = parseConfig({ MEMORYD_DATABASE_URL: database.url });
  const storage = await openStorage(config, { exclusive: true });
  const services = createServices(config, storage);
  const models = loadModels(config);
  const readerFor: SearchDeps['readerFor'] = (user) => storage.indexFor(user);
  const semantic = models && {
    synonyms: models.synonyms,
    embedderOf: embedderOf(storage, embeddersIn(models)),
    queryVectors: new QueryVectors(),
    queryTimeoutMs: config.embedderQueryTimeoutMs,
  };
  const deps: SearchDeps = {
    stores: storage,
    indexes: new IndexCache({ bytesMax: 2 ** 30, readerFor }),
    readerFor,
    analyzeQuery,
    embedding: storage.embedding,
    analyzeWithOffsets,
    semantic,
    ranking: shippedRanking(semantic, { analyzeQuery }),
    clock,
  };
  const users = new Map<Conversation, { user: User; turnIds: Map<number, string> }>();
  return {
    prepare: async (conversation, method, contentOf = toContent, stored = conversation) => {
      const owner = users.get(stored) ?? (await store({ services, storage, deps }, stored, contentOf));
      users.set(stored, owner);
      const { user, turnIds } = owner;
      const questions: PreparedQuestion[] = [];
      for (const question of conversation.questions) questions.push(await ask(deps, user, question, method));
      return { turnIds, questions };
    },
    close: async () => {
      await services.close();
      await storage.close();
      await database.drop();
    },
  };
}

interface OpenStore {
  readonly services: AppServices;
  readonly storage: StorageEngine;
  readonly deps: SearchDeps;
}

/** A session without a time makes memories without one. */
async function store(
  { services, storage, deps }: OpenStore,
  { id, sessions }: Conversation,
  contentOf: (turn: Turn) => string,
): Promise<{ user: User; turnIds: Map<number, string> }> {
  const name = `${id}-${randomUUID()}`;
  const email = `${name}@example.test`;
  const user = await storage.users.insert({ publicId: randomUUID(), name, email, at: 1 });
  const turns: string[] = [];
  for (const session of sessions) {
    let conversationId = 'NEW';
    const eventTime = session.startedAt === '' ? undefined : Date.parse(session.startedAt);
    for (const turn of session.turns) {
      const { memory } = await services.memories.create(
        user,
        { content: contentOf(turn), eventTime },
        { conversationId },
      );
      conversationId = memory.conversationId;
      turns.push(turn.id);
    }
  }
  const { columns } = await deps.indexes.get(user);
  return { user, turnIds: new Map(turns.map((turn, row) => [columns.docs[row], turn])) };
}

async function ask(
  deps: SearchDeps,
  user: User,
  question: Question,
  method: SearchMethod,
): Promise<PreparedQuestion> {
  const plan = planSearch({ ...request, method, query: question.question }, deps, deps.clock.now());
  const candidates = await candidatesFor(deps, user, plan.filter);
  return { question, asked: await askArms(deps, user, plan, candidates) };
}

/** As the benchmark over HTTP asks. */
const request: Omit<SearchRequest, 'method' | 'query'> = {
  ...searchDefaults,
  threshold: 0,
  limit: resultsMax,
};

/** The first 20 turns for every question under these weights. */
export function rankAll({ turnIds, questions }: Prepared, weights: Weights): RankedQuestion[] {
  return questions.map(({ question, asked }) => {
    const { rows, scores } = fuseAsked(asked, weights);
    const { index } = asked.candidates;
    const best = firstRows(rows, resultsMax, byScore(index, scores));
    const found = best.map((row) => turnIds.get(index.columns.docs[row]) ?? '');
    return { category: question.category, evidence: question.evidence, found };
  });
}
