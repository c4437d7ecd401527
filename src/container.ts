import { createBriefing } from './briefing/briefing.ts';
import type { Config } from './config/settings.ts';
import { LlmMemoryProposer } from './derivation/llm-memory-proposer.ts';
import { LlmRelationshipProposer } from './derivation/llm-relationship-proposer.ts';
import { MemoryDeriver } from './derivation/memory-deriver.ts';
import { MemoryRelationshipFinder } from './derivation/memory-relater.ts';
import type { NeighbourDeps } from './derivation/neighbours.ts';
import type { TextComparer, TextDeriver } from './derivation/text-deriver.ts';
import { textDeriver } from './derivation/thread-deriver.ts';
import { EarlierMemories } from './derivation/word-statistics.ts';
import { KeyService } from './domain/api-keys/key-service.ts';
import { ChangeFeed } from './domain/changes/change-feed.ts';
import { CommunityService } from './domain/communities/community-service.ts';
import { ExtractionProgress } from './domain/derivation/derivation-store.ts';
import type { LlmServer } from './domain/derivation/llm-server.ts';
import { ClusterService } from './domain/graph/cluster-service.ts';
import type { Step } from './domain/jobs/step.ts';
import type { WorkStore } from './domain/jobs/work-store.ts';
import { MemoryService } from './domain/memories/memory-service.ts';
import { OAuthGrants } from './domain/oauth/oauth-grants.ts';
import { OAuthTokens } from './domain/oauth/oauth-tokens.ts';
import { QualityService } from './domain/quality/quality-service.ts';
import { recordServices } from './domain/record-services.ts';
import type { UserRef } from './domain/shared/user-ref.ts';
import { SystemService } from './domain/system/system-service.ts';
import { TopicMergeService } from './domain/topics/topic-merge-service.ts';
import { TrashService } from './domain/trash/trash-service.ts';
import { UserService } from './domain/users/user-service.ts';
import { WebhookSender } from './domain/webhooks/webhook-sender.ts';
import { embedderOf, embeddersIn, loadModels } from './embedding/load-models.ts';
import { createGraphRag } from './graph-rag/graph-rag.ts';
import type { AppServices } from './http/services.ts';
import { JobWorker, newPaces } from './jobs/job-worker.ts';
import { periodicJobs } from './jobs/periodic-jobs.ts';
import { memorySteps } from './jobs/steps.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import { ActiveRequests } from './lib/throttle.ts';
import { version } from './lib/version.ts';
import { BackgroundAsks } from './llm/background-asks.ts';
import { LlmProseWriter } from './llm/llm-prose-writer.ts';
import { loadProposer } from './llm/proposer.ts';
import type { ModelOptions } from './open-storage.ts';
import { QueryVectors } from './search/arms/near-in-spaces.ts';
import { createSearch } from './search/create-search.ts';
import { SimilarTexts } from './search/matters/similar-texts.ts';
import { nearestVersions } from './search/other/nearest-versions.ts';
import { FeedbackPreferences } from './search/rank/rescorers/feedback.ts';
import type { Search } from './search/search-port.ts';
import { WarmUp } from './search/warm-up.ts';
import { analyzeQuery, analyzeWithOffsets } from './search-index/analysis/index.ts';
import { IndexCache } from './search-index/index-cache.ts';
import { SegmentWriter } from './search-index/segments/write-segments.ts';
import { ShortTexts } from './search-index/vectors/short-texts.ts';
import type { StorageEngine } from './storage/engine.ts';
import { GraphThread } from './threads/graph-thread.ts';

export { openStorage } from './open-storage.ts';

const indexBytesMax = ({ indexCacheMb }: Config) => indexCacheMb * 1024 * 1024;

export interface ServiceOptions extends ModelOptions {
  /** Steps that memories go through, as `jobs/steps.ts` names them unless a test brings its own. */
  readonly steps?: readonly Step[];
  /** See `StepDeps`. */
  readonly retryMs?: readonly [number, number];
  /** Derives from texts and compares the results; by default the rules, on a thread. */
  readonly texts?: TextDeriver & TextComparer;
  /** Fetches metadata documents of OAuth clients; by default from the public Internet. */
  readonly fetchDocument?: AppServices['oauth']['fetchDocument'];
}

/** The services and background work of a process over an open store. */
export interface Services extends AppServices {
  /** Not started: commands and tests run without it. */
  readonly jobs: JobWorker;
  /** The steps of memories after they are written, and the store of their jobs. */
  readonly steps: readonly Step[];
  readonly work: WorkStore;
  /** Not started. */
  readonly warmUp: WarmUp;
  /** Ends the jobs and saves cached changes; call it before the store is closed. */
  close(): Promise<void>;
}

/** All services of the HTTP interface over an open store, and their jobs. */
export function createServices(
  config: Config,
  storage: StorageEngine,
  clock: Clock = systemClock,
  { models = loadModels(config), steps: ownSteps, retryMs, texts, fetchDocument }: ServiceOptions = {},
): Services {
  // Checked at the start instead of at the first text: a
  // damaged file ends the start, and no request waits for it.
  models?.read?.();
  const { indexes, segmentWriter } = indexesOver(config, storage);
  const { similar, trash, memories } = memoriesOver(config, storage, clock, indexes);
  const { afterDelete } = trash;
  const search = searchOver(config, storage, { clock, indexes, models });
  const { keys, users } = accountsOver(storage, clock, indexes);
  const topicMerges = new TopicMergeService({ stores: storage, clock });
  const graph = new GraphThread();
  const { work, failures, vectorSpaces: spaces } = storage;
  const requests = new ActiveRequests();
  const warmUp = warmUpOver(config, storage, { indexes, search, requests, similar });
  const paces = newPaces(requests);
  const derivation = derivationOver(storage, { indexes, models, texts });
  const { llm, writer, ...proposers } = llmOver(config, storage, { clock, ...derivation });
  const steps =
    ownSteps ?? (config.derive ? memorySteps({ ...derivation, clock, stores: storage }, proposers) : []);
  const { changes, webhookSender, allowsPrivate } = changesOver(config, storage, clock);
  const upkeep = { users, clock, trash, topicMerges, keys, paces, segmentWriter, webhookSender };
  const periodic = periodicJobs({ ...storage, ...upkeep });
  const jobs = new JobWorker({ periodic, steps: { steps, spaces, work, retryMs }, failures, paces });
  return {
    clock,
    requests,
    stores: storage,
    embedding: storage.embedding,
    extraction: new ExtractionProgress(config.derive),
    users,
    idempotency: storage.idempotency,
    keys,
    oauth: oauthOver(storage, { keys, clock, fetchDocument }),
    jobs,
    steps,
    work,
    warmUp,
    close: async () => {
      llm?.close();
      await warmUp.stop();
      await jobs.stop();
      await similar.stop();
      await derivation.deriver.close();
      await models?.encoder?.close();
      await models?.former?.close();
      await graph.close();
      if (!storage.isReadOnly) await keys.flush();
    },
    search,
    briefing: createBriefing({ search, stores: storage, clock, proseWriter: writer, ruleJudge: writer }),
    memories,
    quality: new QualityService({ stores: storage, clock, memories }),
    trash,
    changes,
    topicMerges,
    ...graphServices(storage, clock, graph, search),
    ...recordServices({
      stores: storage,
      clock,
      afterDelete,
      trash,
      allowsPrivate,
      naming: config.derive ? (userId, name) => derivation.earlier.naming(userId, name) : undefined,
    }),
    system: createSystem(config, storage, { clock, indexes, models, llm }),
  };
}

/** Dependencies of the authorization server of `/mcp`. */
function oauthOver(
  { oauth: store, failures }: StorageEngine,
  { keys, clock, fetchDocument }: Pick<AppServices, 'keys' | 'clock'> & Pick<ServiceOptions, 'fetchDocument'>,
): AppServices['oauth'] {
  const tokens = new OAuthTokens({ store, keys, clock });
  return { store, failures, fetchDocument, tokens, grants: new OAuthGrants({ store, clock }) };
}

/** Memories, their trash, and the finder of similar ones. */
function memoriesOver(config: Config, storage: StorageEngine, clock: Clock, indexes: IndexCache) {
  const similar = new SimilarTexts({
    stores: storage,
    report: (error) => storage.failures.failed('similar_memories', error),
  });
  const trash = new TrashService({
    stores: storage,
    bins: storage.trash,
    clock,
    keepDays: config.trashDays,
    forget: (user) => {
      indexes.forget(user);
      similar.forget(user);
    },
  });
  const { afterDelete } = trash;
  const memories = new MemoryService({ stores: storage, clock, afterDelete, similar });
  return { similar, trash, memories };
}

/** The list of changes, and what sends it to addresses of users. */
function changesOver(config: Config, storage: StorageEngine, clock: Clock) {
  const changes = new ChangeFeed({ stores: storage, signals: storage.changeSignals });
  const { webhooks: directory, failures } = storage;
  const { webhooksPrivate: allowsPrivate } = config;
  const webhookSender = new WebhookSender({
    stores: storage,
    directory,
    changes,
    clock,
    failures,
    allowsPrivate,
    version,
  });
  return { changes, webhookSender, allowsPrivate };
}

/** Users and their keys. */
function accountsOver(storage: StorageEngine, clock: Clock, indexes: IndexCache) {
  return {
    keys: new KeyService({ keys: storage.keys, stores: storage, clock }),
    users: new UserService(storage.users, clock, (user) => indexes.forget(user)),
  };
}

/** The indexes in the process, and the writer of their segments. */
function indexesOver(config: Config, storage: StorageEngine) {
  const { segments, failures } = storage;
  const readerFor = (user: Pick<UserRef, 'id'>) => storage.indexFor(user);
  const report = (error: unknown) => failures.failed('index_segments', error);
  const indexes = new IndexCache({
    bytesMax: indexBytesMax(config),
    readerFor,
    onUnreadable: ({ id }, error) => {
      report(error);
      segments.drop(id).catch(report);
    },
  });
  return { indexes, segmentWriter: new SegmentWriter({ segments, readerFor, report }) };
}

/** Services of the graph of topics, entities and facts. */
function graphServices(storage: StorageEngine, clock: Clock, graph: GraphThread, search: Search) {
  const communities = new CommunityService({ stores: storage, clock, graph });
  const graphRag = createGraphRag({
    stores: storage,
    search,
    communities,
    readerFor: (user) => storage.indexFor(user),
    analyzeQuery,
    analyzeWithOffsets,
    clock,
    isReadOnly: storage.isReadOnly,
  });
  return { communities, graphRag, clusters: new ClusterService({ stores: storage, graph }) };
}

interface WarmUpOverDeps extends Pick<SystemDeps, 'indexes'> {
  readonly search: Search;
  readonly similar: SimilarTexts;
  readonly requests: ActiveRequests;
}

function warmUpOver(
  config: Config,
  storage: StorageEngine,
  { indexes, search, similar, requests }: WarmUpOverDeps,
) {
  return new WarmUp({
    ...storage,
    search,
    similar,
    hasRoom: () => indexes.bytes < indexBytesMax(config) / 2,
    isIdle: () => requests.areNone,
  });
}

interface LlmDeps {
  readonly clock: Clock;
  readonly deriver: MemoryDeriver;
  readonly neighbours: NeighbourDeps;
}

/** The LLM, if one is configured. */
function llmOver(config: Config, storage: StorageEngine, { clock, deriver, neighbours }: LlmDeps) {
  // Its tokens of the day could not be counted.
  const llm = storage.isReadOnly ? undefined : loadProposer(config, { counter: storage.llmTokens, clock });
  return {
    llm,
    writer:
      llm && new LlmProseWriter({ llm, asks: new BackgroundAsks({ clock, failures: storage.failures }) }),
    proposer: llm && new LlmMemoryProposer({ llm, deriver }),
    relationshipProposer: llm && new LlmRelationshipProposer({ ...neighbours, llm, deriver }),
  };
}

interface SystemDeps {
  readonly clock: Clock;
  readonly indexes: IndexCache;
  readonly models: ModelOptions['models'];
  readonly llm: LlmServer | undefined;
}

/** Extractors of memories and the comparison of their results. */
function derivationOver(
  storage: StorageEngine,
  {
    indexes,
    models,
    texts = textDeriver(),
  }: Pick<SystemDeps, 'indexes' | 'models'> & Pick<ServiceOptions, 'texts'>,
) {
  const indexOf = (id: number) => storage.indexFor({ id });
  const derivationOf = (id: number) => storage.forUser({ id }).derivation;
  const semantic = models && {
    embedderOf: embedderOf(storage, embeddersIn(models), models.former),
  };
  const near = { indexes, readerFor: (user: Pick<UserRef, 'id'>) => storage.indexFor(user), semantic };
  const earlier = new EarlierMemories({
    indexOf,
    onCut: (error) => storage.failures.failed('known_names', error),
  });
  const neighbours: NeighbourDeps = {
    readerOf: (id) => storage.forUser({ id }).foundRelationships,
    derivationOf,
    indexOf,
    nearest: (id, docs, perSide) => nearestVersions(near, { id }, docs, perSide),
  };
  return {
    earlier,
    deriver: new MemoryDeriver({ texts, readerOf: derivationOf, indexOf, earlier }),
    relationshipFinder: new MemoryRelationshipFinder({ ...neighbours, texts }),
    neighbours,
  };
}

function searchOver(
  config: Config,
  storage: StorageEngine,
  { clock, indexes, models }: Omit<SystemDeps, 'llm'>,
): Search {
  return createSearch({
    stores: storage,
    indexes,
    readerFor: (user) => storage.indexFor(user),
    embedding: storage.embedding,
    analyzeQuery,
    analyzeWithOffsets,
    semantic: models && {
      synonyms: models.synonyms,
      pieces: models.pieces,
      embedderOf: embedderOf(storage, embeddersIn(models), models.former),
      queryVectors: new QueryVectors(),
      queryTimeoutMs: config.embedderQueryTimeoutMs,
      secondTimeoutMs: config.encoderTimeoutMs,
    },
    shortTexts: models && new ShortTexts(models.bundled, (word) => models.synonyms.near(word).length > 0),
    feedback: config.feedbackRanking ? new FeedbackPreferences() : undefined,
    relevanceFloor: config.relevanceFloor,
    clock,
  });
}

function createSystem(
  config: Config,
  storage: StorageEngine,
  { clock, indexes, models, llm }: SystemDeps,
): SystemService {
  return new SystemService({
    version,
    clock,
    failures: storage.failures,
    indexes,
    stores: storage,
    embedding: storage.embedding,
    work: storage.work,
    embedder: models?.server,
    encoder: models?.encoder,
    llm,
    probe: {
      engine: storage.name,
      ping: () => storage.ping(),
      sizeBytes: () => storage.sizeBytes(),
      replayLag: () => storage.replayLag(),
      isReadOnly: storage.isReadOnly,
      queueDepth: () => storage.queueDepth(),
      rebuildStatus: () => storage.upkeep.rebuildStatus(),
      totals: () => storage.users.totals(),
      webhookBacklog: () => storage.webhooks.backlog(),
    },
    flags: {
      metricsPublic: config.metricsPublic,
      crossOriginCalls: config.corsOrigins.length > 0,
      semanticSearch: models !== undefined,
      feedbackRanking: config.feedbackRanking,
      oauth: config.publicUrl !== undefined,
    },
  });
}
