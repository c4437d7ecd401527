import type { KeyService } from '../domain/api-keys/key-service.ts';
import type { ArtifactService } from '../domain/artifacts/artifact-service.ts';
import type { CommunityService } from '../domain/communities/community-service.ts';
import type { ConversationService } from '../domain/conversations/conversation-service.ts';
import type { EmbeddingProgress } from '../domain/embedding/embedding-progress.ts';
import type { FactService } from '../domain/facts/fact-service.ts';
import type { FeedbackService } from '../domain/feedback/feedback-service.ts';
import type { ClusterService } from '../domain/graph/cluster-service.ts';
import type { MemoryService } from '../domain/memories/memory-service.ts';
import type { NarrativeService } from '../domain/narratives/narrative-service.ts';
import type { DetectionService } from '../domain/relationships/detection-service.ts';
import type { ExplanationService } from '../domain/relationships/explanation-service.ts';
import type { RelationshipService } from '../domain/relationships/relationship-service.ts';
import type { IdempotencyStore } from '../domain/shared/idempotency-store.ts';
import type { Stores } from '../domain/shared/stores.ts';
import type { SystemService } from '../domain/system/system-service.ts';
import type { TopicMergeService } from '../domain/topics/topic-merge-service.ts';
import type { TopicService } from '../domain/topics/topic-service.ts';
import type { TrashService } from '../domain/trash/trash-service.ts';
import type { UserStore } from '../domain/users/user-store.ts';
import type { Clock } from '../lib/clock.ts';
import type { Search } from '../retrieval/search-port.ts';

/** Everything that routes call; made by the container. */
export interface AppServices {
  readonly clock: Clock;
  readonly keys: KeyService;
  readonly users: UserStore;
  readonly stores: Stores;
  readonly embedding: EmbeddingProgress;
  readonly search: Search;
  readonly memories: MemoryService;
  readonly conversations: ConversationService;
  readonly relationships: RelationshipService;
  readonly detection: DetectionService;
  readonly explanations: ExplanationService;
  readonly topics: TopicService;
  readonly facts: FactService;
  readonly feedback: FeedbackService;
  readonly artifacts: ArtifactService;
  readonly trash: TrashService;
  readonly narratives: NarrativeService;
  readonly topicMerges: TopicMergeService;
  readonly communities: CommunityService;
  readonly clusters: ClusterService;
  readonly system: SystemService;
  readonly idempotency: IdempotencyStore;
}
