import type { KeyStore } from '../domain/api-keys/api-key.ts';
import type { ChangeSignals } from '../domain/changes/change-feed.ts';
import type { TokenCounter } from '../domain/derivation/llm-server.ts';
import type { EmbeddingProgress, SpacesToEmbed } from '../domain/embedding/embed-step.ts';
import type { SpaceDirectory } from '../domain/embedding/embedder.ts';
import type { TraceStore } from '../domain/graph/graph-store.ts';
import type { WorkStore } from '../domain/jobs/work-store.ts';
import type { OAuthStore } from '../domain/oauth/oauth-store.ts';
import type { IdempotencyStore } from '../domain/shared/idempotency-store.ts';
import type { Stores } from '../domain/shared/stores.ts';
import type { UserRef } from '../domain/shared/user-ref.ts';
import type { EngineMaintenance } from '../domain/system/engine-maintenance.ts';
import type { TrashBins } from '../domain/trash/trash.ts';
import type { UserStore } from '../domain/users/user.ts';
import type { WebhookDirectory } from '../domain/webhooks/webhook.ts';
import type { FailureLog } from '../lib/failure-log.ts';
import type { IndexReader, SegmentStore } from '../search-index/ports.ts';
import type { Transfer } from './transfer.ts';
import type { Upkeep } from './upkeep.ts';

/** An open store of either engine. */
export interface StorageEngine extends Stores, SpaceDirectory {
  readonly name: 'sqlite' | 'postgres';
  /** Whether each write is refused with 409, since the process serves with `--read-only`. */
  readonly isReadOnly: boolean;
  readonly keys: KeyStore;
  readonly oauth: OAuthStore;
  readonly changeSignals: ChangeSignals;
  readonly idempotency: IdempotencyStore;
  readonly traces: TraceStore;
  readonly users: UserStore;
  readonly upkeep: Upkeep;
  readonly maintenance: EngineMaintenance;
  /** Jobs of the steps. */
  readonly work: WorkStore;
  readonly vectorSpaces: SpacesToEmbed;
  readonly embedding: EmbeddingProgress;
  readonly transfer: Transfer;
  readonly trash: TrashBins;
  readonly webhooks: WebhookDirectory;
  readonly llmTokens: TokenCounter;
  /** Segments of the index, for processes that have not loaded the user yet. */
  readonly segments: SegmentStore;
  /** Failures of background work; services over this store report theirs here too. */
  readonly failures: FailureLog;
  indexFor(user: Pick<UserRef, 'id'>): IndexReader;
  /** Number of writes that wait for their commit. */
  queueDepth(): number;
  /** Rejects if the store cannot be read. */
  ping(): Promise<void>;
  /** Size of the store on disk. */
  sizeBytes(): Promise<number>;
  /** Seconds by which a replica is behind; 0 for a primary, undefined if it is not known. */
  replayLag(): Promise<number | undefined>;
  /** Waits for queued writes, then closes. */
  close(): Promise<void>;
}
