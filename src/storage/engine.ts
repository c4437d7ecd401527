import type { KeyStore } from '../domain/api-keys/key-store.ts';
import type { TokenCounter } from '../domain/derivation/token-counter.ts';
import type { SpacesToEmbed } from '../domain/embedding/embed-step.ts';
import type { EmbeddingProgress } from '../domain/embedding/embedding-progress.ts';
import type { SpaceDirectory } from '../domain/embedding/space-embedder.ts';
import type { TraceStore } from '../domain/graph/trace-store.ts';
import type { WorkStore } from '../domain/jobs/work-store.ts';
import type { IdempotencyStore } from '../domain/shared/idempotency-store.ts';
import type { Stores } from '../domain/shared/stores.ts';
import type { UserRef } from '../domain/shared/user-ref.ts';
import type { EngineMaintenance } from '../domain/system/engine-maintenance.ts';
import type { TrashBins } from '../domain/trash/trash-store.ts';
import type { UserStore } from '../domain/users/user-store.ts';
import type { FailureLog } from '../lib/failure-log.ts';
import type { IndexReader, SegmentStore } from '../retrieval/ports.ts';
import type { Transfer } from './transfer.ts';
import type { Upkeep } from './upkeep.ts';

/** An open store, whatever the engine. */
export interface StorageEngine extends Stores, SpaceDirectory {
  readonly name: 'sqlite' | 'postgres';
  /** What finds the vectors nearest to one: the process itself, or pgvector in the database (ADR 9). */
  readonly vectorIndex: 'codes' | 'pgvector';
  readonly keys: KeyStore;
  readonly idempotency: IdempotencyStore;
  readonly traces: TraceStore;
  readonly users: UserStore;
  readonly upkeep: Upkeep;
  readonly maintenance: EngineMaintenance;
  /** Work recorded for steps. */
  readonly work: WorkStore;
  readonly vectorSpaces: SpacesToEmbed;
  readonly embedding: EmbeddingProgress;
  readonly transfer: Transfer;
  readonly trash: TrashBins;
  readonly llmTokens: TokenCounter;
  /** What processes read of the index of a user that they do not know yet. */
  readonly segments: SegmentStore;
  /** What failed in the background of this store; services over it report here too. */
  readonly failures: FailureLog;
  indexFor(user: Pick<UserRef, 'id'>): IndexReader;
  /** Writes waiting to be committed. */
  queueDepth(): number;
  /** Fails when the store cannot be read. */
  ping(): Promise<void>;
  /** Bytes that the store takes on disk. */
  sizeBytes(): Promise<number>;
  /** Waits for what is queued, then closes. */
  close(): Promise<void>;
}
