import type { Briefing } from '../briefing/briefing.ts';
import type { KeyService } from '../domain/api-keys/key-service.ts';
import type { ChangeFeed } from '../domain/changes/change-feed.ts';
import type { CommunityService } from '../domain/communities/community-service.ts';
import type { ExtractionProgress } from '../domain/derivation/derivation-store.ts';
import type { EmbeddingProgress } from '../domain/embedding/embed-step.ts';
import type { ClusterService } from '../domain/graph/cluster-service.ts';
import type { MemoryService } from '../domain/memories/memory-service.ts';
import type { OAuthGrants } from '../domain/oauth/oauth-grants.ts';
import type { OAuthStore } from '../domain/oauth/oauth-store.ts';
import type { OAuthTokens } from '../domain/oauth/oauth-tokens.ts';
import type { QualityService } from '../domain/quality/quality-service.ts';
import type { RecordServices } from '../domain/record-services.ts';
import type { IdempotencyStore } from '../domain/shared/idempotency-store.ts';
import type { Stores } from '../domain/shared/stores.ts';
import type { SystemService } from '../domain/system/system-service.ts';
import type { TopicMergeService } from '../domain/topics/topic-merge-service.ts';
import type { TrashService } from '../domain/trash/trash-service.ts';
import type { UserService } from '../domain/users/user-service.ts';
import type { GraphRag } from '../graph-rag/graph-rag.ts';
import type { Clock } from '../lib/clock.ts';
import type { FailureLog } from '../lib/failure-log.ts';
import type { FetchPublic } from '../lib/net/public-request.ts';
import type { ActiveRequests } from '../lib/throttle.ts';
import type { Search } from '../search/search-port.ts';

/** All services that routes call; made by the container. */
export interface AppServices extends RecordServices {
  readonly clock: Clock;
  /** Counted on arrival. */
  readonly requests: ActiveRequests;
  readonly keys: KeyService;
  readonly oauth: {
    readonly tokens: OAuthTokens;
    readonly grants: OAuthGrants;
    readonly store: OAuthStore;
    readonly failures: FailureLog;
    /** Fetches what clients name; by default from the public Internet. */
    readonly fetchDocument?: FetchPublic;
  };
  readonly users: UserService;
  readonly stores: Stores;
  readonly embedding: EmbeddingProgress;
  readonly extraction: ExtractionProgress;
  readonly search: Search;
  readonly briefing: Briefing;
  readonly memories: MemoryService;
  readonly trash: TrashService;
  readonly changes: ChangeFeed;
  readonly topicMerges: TopicMergeService;
  readonly communities: CommunityService;
  readonly clusters: ClusterService;
  readonly graphRag: GraphRag;
  readonly quality: QualityService;
  readonly system: SystemService;
  readonly idempotency: IdempotencyStore;
}
