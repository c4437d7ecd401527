import type { Config } from './config/settings.ts';
import { KeyService } from './domain/api-keys/key-service.ts';
import { ArtifactService } from './domain/artifacts/artifact-service.ts';
import { ConversationService } from './domain/conversations/conversation-service.ts';
import { FactService } from './domain/facts/fact-service.ts';
import { FeedbackService } from './domain/feedback/feedback-service.ts';
import { MemoryService } from './domain/memories/memory-service.ts';
import { NarrativeService } from './domain/narratives/narrative-service.ts';
import { RelationshipService } from './domain/relationships/relationship-service.ts';
import { SystemService } from './domain/system/system-service.ts';
import { TopicMergeService } from './domain/topics/topic-merge-service.ts';
import { TopicService } from './domain/topics/topic-service.ts';
import { TrashService } from './domain/trash/trash-service.ts';
import { embedderOf } from './embedding/embedder-of.ts';
import { loadMeaning } from './embedding/load-meaning.ts';
import type { AppServices } from './http/services.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import { version } from './lib/version.ts';
import type { MeaningOptions } from './open-storage.ts';
import { analyzeQuery, analyzeWithOffsets } from './retrieval/analysis/index.ts';
import { createSearch } from './retrieval/create-search.ts';
import { IndexCache } from './retrieval/index/index-cache.ts';
import { QueryVectors } from './retrieval/vectors/query-vectors.ts';
import { ShortTexts } from './retrieval/vectors/short-texts.ts';
import type { StorageEngine } from './storage/engine.ts';

export { openStorage } from './open-storage.ts';

const megabyte = 1024 * 1024;

/** Everything the HTTP interface calls, over an open store. */
export function createServices(
  config: Config,
  storage: StorageEngine,
  clock: Clock = systemClock,
  { meaning = loadMeaning(config) }: MeaningOptions = {},
): AppServices {
  const indexes = new IndexCache({
    bytesMax: config.indexCacheMb * megabyte,
    readerFor: (user) => storage.indexFor(user),
  });
  const trash = new TrashService({
    stores: storage,
    bins: storage.trash,
    clock,
    keepDays: config.trashDays,
    forget: (user) => indexes.forget(user),
  });
  const { afterDelete } = trash;
  return {
    clock,
    stores: storage,
    embedding: storage.embedding,
    users: storage.users,
    idempotency: storage.idempotency,
    keys: new KeyService({ keys: storage.keys, stores: storage, clock, failures: storage.failures }),
    search: createSearch({
      stores: storage,
      indexes,
      readerFor: (user) => storage.indexFor(user),
      embedding: storage.embedding,
      analyzeQuery,
      analyzeWithOffsets,
      meaning: meaning && {
        nearWords: meaning.nearWords,
        embedderOf: embedderOf(storage, [meaning.embedder, meaning.carried], meaning.former),
        queryVectors: new QueryVectors(config.embedderQueryTimeoutMs),
      },
      shortTexts: meaning && new ShortTexts(meaning.carried),
      clock,
    }),
    memories: new MemoryService({ stores: storage, clock, afterDelete }),
    conversations: new ConversationService({ stores: storage, clock, afterDelete }),
    trash,
    relationships: new RelationshipService({ stores: storage, clock }),
    topics: new TopicService({ stores: storage }),
    facts: new FactService({ stores: storage, clock, afterDelete }),
    feedback: new FeedbackService({ stores: storage, clock }),
    artifacts: new ArtifactService({ stores: storage, clock, afterDelete }),
    narratives: new NarrativeService({ stores: storage, clock, afterDelete }),
    topicMerges: new TopicMergeService({ stores: storage, clock, failures: storage.failures }),
    system: new SystemService({
      version,
      clock,
      failures: storage.failures,
      indexes,
      stores: storage,
      embedding: storage.embedding,
      embedder: meaning?.server,
      probe: {
        engine: storage.name,
        vectorIndex: storage.vectorIndex,
        ping: () => storage.ping(),
        sizeBytes: () => storage.sizeBytes(),
        queueDepth: () => storage.queueDepth(),
        rebuildStatus: () => storage.upkeep.rebuildStatus(),
        totals: () => storage.users.totals(),
      },
      flags: {
        metricsPublic: config.metricsPublic,
        crossOriginCalls: config.corsOrigins.length > 0,
        semanticSearch: meaning !== undefined,
      },
    }),
  };
}
