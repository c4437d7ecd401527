import { randomUUID } from 'node:crypto';
import { parseConfig } from '../../src/config/load.ts';
import { createServices, openStorage } from '../../src/container.ts';
import type { User } from '../../src/domain/users/user.ts';
import {
  type EmbeddingModels,
  embedderOf,
  embeddersIn,
  loadModels,
} from '../../src/embedding/load-models.ts';
import type { AppServices } from '../../src/http/services.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { QueryVectors } from '../../src/search/arms/near-in-spaces.ts';
import { candidatesFor } from '../../src/search/candidates.ts';
import { planSearch } from '../../src/search/query/plan.ts';
import type { Fused } from '../../src/search/rank/fuse/fuse.ts';
import type { Weights } from '../../src/search/rank/fuse/weights.ts';
import { type Examined, examine } from '../../src/search/rank/network/candidate-features.ts';
import { lazyPieces } from '../../src/search/rank/network/network-rescorer.ts';
import { shippedRanking } from '../../src/search/rank/ranking.ts';
import type { Ranked } from '../../src/search/rank/rescorer.ts';
import { type SearchMethod, type SearchRequest, searchDefaults } from '../../src/search/request.ts';
import { byScore, firstRows } from '../../src/search/scores/order.ts';
import { type AskedArms, askArms, fuseAsked, rankAsked, type SearchDeps } from '../../src/search/search.ts';
import { analyzeQuery, analyzeWithOffsets } from '../../src/search-index/analysis/index.ts';
import { IndexCache } from '../../src/search-index/index-cache.ts';
import type { StorageEngine } from '../../src/storage/engine.ts';
import { newDatabase } from '../../test/support/database.ts';
import { poll } from '../../test/support/poll.ts';
import type { Conversation, Question, Turn } from './data-set.ts';
import { toContent } from './import-conversation.ts';
import { type RankedQuestion, resultsMax } from './score.ts';

/**
 * Long, because on a busy machine some queries would time out
 * and go without the encoder, which changes results.
 */
const queryTimeoutMs = 600_000;

export interface PreparedQuestion {
  readonly question: Question;
  readonly asked: AskedArms;
  readonly user: User;
}

/** One conversation of a file, stored as a user, with the results of the search arms for each question. */
export interface Prepared {
  /** Id of the turn by document number of its memory. */
  readonly turnIds: ReadonlyMap<number, string>;
  readonly questions: readonly PreparedQuestion[];
}

/** A store of its own, searched without HTTP. */
export interface InProcess {
  /**
   * @param contentOf the text of a turn's memory
   * @param stored conversation whose memories are searched; the conversation itself by default
   */
  prepare(
    conversation: Conversation,
    method: SearchMethod,
    contentOf?: (turn: Turn) => string,
    stored?: Conversation,
  ): Promise<Prepared>;
  /** Input of the network for a question's candidates. */
  examine(of: PreparedQuestion): Promise<Examined | undefined>;
  /** The weighted sum alone. */
  sum(of: PreparedQuestion): Fused;
  /** The ranking of searches, without the rules for questions. */
  rank(of: PreparedQuestion): Promise<Ranked>;
  close(): Promise<void>;
}

export interface InProcessOptions {
  /** The present for relative times in questions. */
  readonly clock?: Clock;
  /** The static model alone by default. */
  readonly models?: EmbeddingModels;
}

export async function openInProcess({
  clock = systemClock,
  models: given,
}: InProcessOptions = {}): Promise<InProcess> {
  const database = await newDatabase('sqlite');
  const config = parseConfig({ MEMORYD_DATABASE_URL: database.url, MEMORYD_EMBEDDER: 'static' });
  const models = given ?? loadModels(config);
  const storage = await openStorage(config, { exclusive: true, models });
  const services = createServices(config, storage, undefined, { models, steps: [] });
  // Background jobs fill the second space.
  if (models?.second) services.jobs.start();
  const readerFor: SearchDeps['readerFor'] = (user) => storage.indexFor(user);
  const semantic = models && {
    synonyms: models.synonyms,
    pieces: models.pieces,
    embedderOf: embedderOf(storage, embeddersIn(models)),
    queryVectors: new QueryVectors(),
    queryTimeoutMs,
    secondTimeoutMs: queryTimeoutMs,
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
  const pieces = models && lazyPieces(models.pieces);
  const byText = deps.ranking.rescorers.filter(({ name }) => name === 'network' || name === 'by-passage');
  const users = new Map<Conversation, StoredConversation>();
  return {
    prepare: async (conversation, method, contentOf = toContent, stored = conversation) => {
      const owner = users.get(stored) ?? (await store({ services, storage, deps }, stored, contentOf));
      users.set(stored, owner);
      const { turnIds } = owner;
      const questions: PreparedQuestion[] = [];
      for (const question of conversation.questions) questions.push(await ask(deps, owner, question, method));
      return { turnIds, questions };
    },
    examine: async ({ asked, user }) => {
      if (!pieces) throw new Error('no model');
      const { plan, candidates, terms, passages } = asked;
      const weights = deps.ranking.weights[plan.method];
      const input = { plan, terms, weights, reader: readerFor(user), traits: deps.indexes.traits, passages };
      return examine(
        fuseAsked(asked, weights),
        { ...input, view: candidates.view, passes: candidates.passes },
        pieces(),
      );
    },
    sum: ({ asked }) => fuseAsked(asked, deps.ranking.weights[asked.plan.method]),
    rank: ({ asked, user }) => rankAsked(deps, user, asked, byText),
    close: async () => {
      await services.close();
      await storage.close();
      await database.drop();
    },
  };
}

interface StoredConversation {
  readonly user: User;
  readonly turnIds: ReadonlyMap<number, string>;
  /** By number of the session. */
  readonly conversationIds: ReadonlyMap<number, string>;
}

interface OpenStore {
  readonly services: AppServices;
  readonly storage: StorageEngine;
  readonly deps: SearchDeps;
}

/** Stores a conversation. A session without a time gives memories without one. */
async function store(
  { services, storage, deps }: OpenStore,
  { id, sessions }: Conversation,
  contentOf: (turn: Turn) => string,
): Promise<StoredConversation> {
  const name = `${id}-${randomUUID()}`;
  const email = `${name}@example.test`;
  const user = await storage.users.insert({ publicId: randomUUID(), name, email, at: 1 });
  const turns: string[] = [];
  const conversationIds = new Map<number, string>();
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
    conversationIds.set(session.number, conversationId);
  }
  await poll('the vectors of all memories', () => isEmbedded(storage), embeddedWithinMs);
  const { columns } = await deps.indexes.get(user, { withVectors: true });
  const turnIds = new Map(turns.map((turn, row) => [columns.docs[row], turn]));
  return { user, turnIds, conversationIds };
}

const embeddedWithinMs = 30 * 60_000;

async function isEmbedded({ embedding }: StorageEngine): Promise<true | undefined> {
  const spaces = await embedding.spaces();
  return spaces.every(
    ({ state, waiting, done, total }) => state === 'serving' && waiting === 0 && done === total,
  )
    ? true
    : undefined;
}

async function ask(
  deps: SearchDeps,
  { user, conversationIds }: StoredConversation,
  question: Question,
  method: SearchMethod,
): Promise<PreparedQuestion> {
  const conversationId = question.session === undefined ? undefined : conversationIds.get(question.session);
  const filter = { ...request.filter, conversationId };
  const plan = planSearch({ ...request, filter, method, query: question.question }, deps, deps.clock.now());
  const candidates = await candidatesFor(deps, user, plan.filter);
  return { question, asked: await askArms(deps, user, plan, candidates), user };
}

/** Parameters of the benchmark over HTTP. */
const request: Omit<SearchRequest, 'method' | 'query'> = {
  ...searchDefaults,
  threshold: 0,
  limit: resultsMax,
};

/** The first 20 turns for each question, ranked by the weighted sum with these weights. */
export function rankAll({ turnIds, questions }: Prepared, weights: Weights): RankedQuestion[] {
  return questions.map((question) => rankedOf(question, turnIds, fuseAsked(question.asked, weights)));
}

/** The first 20 turns for each question, ranked as searches rank. */
export async function rankAllReranked(
  { turnIds, questions }: Prepared,
  store: InProcess,
): Promise<RankedQuestion[]> {
  const ranked: RankedQuestion[] = [];
  for (const question of questions)
    ranked.push(rankedOf(question, turnIds, (await store.rank(question)).last));
  return ranked;
}

function rankedOf(
  { question: { category, evidence }, asked }: PreparedQuestion,
  turnIds: Prepared['turnIds'],
  { rows, scores }: Fused,
): RankedQuestion {
  const { index } = asked.candidates;
  const best = firstRows(rows, resultsMax, byScore(index, scores));
  return { category, evidence, found: best.map((row) => turnIds.get(index.columns.docs[row]) ?? '') };
}
