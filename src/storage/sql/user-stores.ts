import type { Kysely } from 'kysely';
import type { StepKey } from '../../domain/jobs/step-key.ts';
import type { UserReaders, UserWriters } from '../../domain/shared/stores.ts';
import { SqlArtifactReader, SqlArtifactWriter } from './artifacts/artifact-store.ts';
import { SqlCommunityReader } from './communities/community-store.ts';
import { SqlCommunityWriter } from './communities/community-writer.ts';
import { SqlConversationReader, SqlConversationWriter } from './conversations/conversation-store.ts';
import type { Database } from './core/schema.ts';
import { UserDatabase } from './core/user-database.ts';
import { view } from './core/user-tables.ts';
import { SqlDerivationReader } from './derivation/derivation-reader.ts';
import { SqlDerivationWriter } from './derivation/derivation-writer.ts';
import { SqlEntityReader } from './entities/entity-reader.ts';
import { SqlEntityWriter } from './entities/entity-writer.ts';
import { SqlFactReader, SqlFactWriter } from './facts/fact-store.ts';
import { SqlFeedbackReader, SqlFeedbackWriter } from './feedback/feedback-store.ts';
import { SqlGraphReader } from './graph/graph-store.ts';
import { SqlTraceReader, SqlTraceWriter } from './graph/trace-store.ts';
import { SqlMemoryReader } from './memories/memory-reader.ts';
import { SqlMemoryWriter } from './memories/memory-writer.ts';
import { SqlNarrativeReader } from './narratives/narrative-store.ts';
import { SqlNarrativeWriter } from './narratives/narrative-writer.ts';
import { SqlQualityReader } from './quality/quality-store.ts';
import { SqlFoundEdgeReader, SqlFoundEdgeWriter } from './relationships/found-edge-store.ts';
import { SqlRelationshipReader, SqlRelationshipWriter } from './relationships/relationship-store.ts';
import { SqlSharedDerivationReader } from './relationships/shared-derivations.ts';
import type { KeywordWriter } from './search-index/keyword-writer.ts';
import { SqlTopicMergeReader, SqlTopicMergeWriter } from './topics/topic-merge-store.ts';
import { SqlTopicReader } from './topics/topic-store.ts';
import { SqlTopicWriter } from './topics/topic-writer.ts';
import { SqlRecordEraser } from './trash/record-eraser.ts';
import { SqlTrashReader, SqlTrashWriter } from './trash/trash-store.ts';
import { SqlResponseWriter } from './users/idempotency-store.ts';
import { SqlKeyWriter } from './users/key-store.ts';
import type { SpaceRegistry } from './vectors/space-registry.ts';
import { VectorWriter } from './vectors/vector-writer.ts';

export function userReaders(db: Kysely<Database>, userId: number): UserReaders {
  const scoped = new UserDatabase(db, userId);
  return {
    memories: new SqlMemoryReader(scoped),
    conversations: new SqlConversationReader(scoped),
    topics: new SqlTopicReader(scoped),
    topicMerges: new SqlTopicMergeReader(scoped),
    relationships: new SqlRelationshipReader(scoped),
    foundEdges: new SqlFoundEdgeReader(scoped),
    sharedDerivations: new SqlSharedDerivationReader(scoped),
    facts: new SqlFactReader(scoped),
    derivation: new SqlDerivationReader(scoped),
    entities: new SqlEntityReader(scoped),
    feedback: new SqlFeedbackReader(scoped),
    quality: new SqlQualityReader(scoped),
    artifacts: new SqlArtifactReader(scoped),
    trash: new SqlTrashReader(scoped),
    narratives: new SqlNarrativeReader(scoped),
    communities: new SqlCommunityReader(scoped),
    graph: new SqlGraphReader(scoped),
    traces: new SqlTraceReader(scoped),
  };
}

export interface WriterDeps {
  readonly db: Kysely<Database>;
  readonly userId: number;
  readonly keywords: KeywordWriter;
  readonly spaces: SpaceRegistry;
  readonly steps: readonly StepKey[];
}

/** The stores of a transaction; `db` is the transaction's own handle. */
export function userWriters({ db, userId, keywords, spaces, steps }: WriterDeps): UserWriters {
  const scoped = new UserDatabase(db, userId, view.ofWriters);
  const vectors = new VectorWriter(scoped, spaces, steps);
  return {
    memories: new SqlMemoryWriter({ db: scoped, keywords, vectors, steps }),
    vectors,
    conversations: new SqlConversationWriter(scoped, keywords),
    topics: new SqlTopicWriter(scoped),
    topicMerges: new SqlTopicMergeWriter(scoped),
    relationships: new SqlRelationshipWriter(scoped),
    foundEdges: new SqlFoundEdgeWriter(scoped),
    sharedDerivations: new SqlSharedDerivationReader(scoped),
    facts: new SqlFactWriter(scoped, keywords),
    derivation: new SqlDerivationWriter(scoped, keywords),
    entities: new SqlEntityWriter(scoped),
    feedback: new SqlFeedbackWriter(scoped),
    quality: new SqlQualityReader(scoped),
    artifacts: new SqlArtifactWriter(scoped),
    trash: new SqlTrashWriter(scoped),
    eraser: new SqlRecordEraser(scoped, keywords),
    narratives: new SqlNarrativeWriter(scoped),
    communities: new SqlCommunityWriter(scoped),
    graph: new SqlGraphReader(scoped),
    traces: new SqlTraceWriter(scoped),
    responses: new SqlResponseWriter(scoped.tables),
    keys: new SqlKeyWriter(scoped.tables),
  };
}
