import type { KeyWriter } from '../api-keys/api-key.ts';
import type { ArtifactReader, ArtifactWriter } from '../artifacts/artifact.ts';
import type { ChangeReader } from '../changes/change.ts';
import type { CommunityReader, CommunityWriter } from '../communities/community.ts';
import type { ConversationReader, ConversationWriter } from '../conversations/conversation.ts';
import type { DerivationReader, DerivationWriter } from '../derivation/derivation-store.ts';
import type { LateVectorWriter } from '../embedding/embed-step.ts';
import type { EntityReader, EntityWriter } from '../entities/entity.ts';
import type { FactReader, FactWriter } from '../facts/fact.ts';
import type { FeedbackReader, FeedbackWriter } from '../feedback/feedback.ts';
import type { GraphReader, TraceReader, TraceWriter } from '../graph/graph-store.ts';
import type { ImportReader, ImportWriter } from '../imports/import.ts';
import type { JobReader, JobWriter } from '../jobs/job.ts';
import type { MemoryReader, MemoryWriter } from '../memories/memory-store.ts';
import type { NarrativeReader, NarrativeWriter } from '../narratives/narrative.ts';
import type { BehaviourReader, BehaviourWriter } from '../patterns/behaviour-store.ts';
import type { PatternReader, PatternWriter } from '../patterns/pattern.ts';
import type { QualityReader } from '../quality/quality.ts';
import type {
  FoundRelationshipReader,
  FoundRelationshipWriter,
} from '../relationships/found-relationship.ts';
import type { RelationshipReader, RelationshipWriter } from '../relationships/relationship.ts';
import type { SharedDerivationReader } from '../relationships/relationship-grounds.ts';
import type { TopicReader, TopicWriter } from '../topics/topic.ts';
import type { TopicMergeReader, TopicMergeWriter } from '../topics/topic-merge.ts';
import type { RecordEraser, TrashReader, TrashWriter } from '../trash/trash.ts';
import type { WebhookReader, WebhookWriter } from '../webhooks/webhook.ts';
import type { ResponseWriter } from './idempotency-store.ts';
import type { TextIndexer } from './text-indexer.ts';
import type { UserRef } from './user-ref.ts';

/** Reads one user's records, as last committed. */
export interface UserReaders {
  readonly memories: MemoryReader;
  readonly conversations: ConversationReader;
  readonly topics: TopicReader;
  readonly topicMerges: TopicMergeReader;
  readonly relationships: RelationshipReader;
  readonly foundRelationships: FoundRelationshipReader;
  readonly sharedDerivations: SharedDerivationReader;
  readonly facts: FactReader;
  readonly derivation: DerivationReader;
  readonly entities: EntityReader;
  readonly feedback: FeedbackReader;
  readonly quality: QualityReader;
  readonly artifacts: ArtifactReader;
  readonly imports: ImportReader;
  readonly trash: TrashReader;
  readonly narratives: NarrativeReader;
  readonly communities: CommunityReader;
  readonly patterns: PatternReader;
  readonly behaviour: BehaviourReader;
  readonly graph: GraphReader;
  readonly traces: TraceReader;
  readonly changes: ChangeReader;
  readonly jobs: JobReader;
  readonly webhooks: WebhookReader;
}

/** Reads and writes inside a transaction, in which its own changes are visible. */
export interface UserWriters extends UserReaders {
  readonly memories: MemoryWriter;
  readonly conversations: ConversationWriter;
  readonly topics: TopicWriter;
  readonly topicMerges: TopicMergeWriter;
  readonly relationships: RelationshipWriter;
  readonly foundRelationships: FoundRelationshipWriter;
  readonly facts: FactWriter;
  readonly derivation: DerivationWriter;
  readonly entities: EntityWriter;
  readonly feedback: FeedbackWriter;
  readonly artifacts: ArtifactWriter;
  readonly imports: ImportWriter;
  readonly trash: TrashWriter;
  readonly eraser: RecordEraser;
  readonly narratives: NarrativeWriter;
  readonly communities: CommunityWriter;
  readonly patterns: PatternWriter;
  readonly behaviour: BehaviourWriter;
  readonly traces: TraceWriter;
  readonly jobs: JobWriter;
  readonly webhooks: WebhookWriter;
  readonly responses: ResponseWriter;
  readonly keys: KeyWriter;
  readonly vectors: LateVectorWriter;
}

export interface UserStores extends UserReaders {
  /** Computes what `transaction` writes into the indexes. */
  readonly indexer: TextIndexer;
  /**
   * Runs `body` in a transaction of this user. On return everything is on disk; if it throws,
   * nothing is. Transactions of one user run one after another. `body` may await only its own
   * stores: on SQLite it shares the one write connection with the other queued bodies.
   */
  transaction<T>(body: (tx: UserWriters) => Promise<T>): Promise<T>;
}

/** The only way to a user's data. */
export interface Stores {
  forUser(user: Pick<UserRef, 'id'>): UserStores;
}
