import type { Kysely } from 'kysely';
import type { StepKey } from '../../domain/jobs/step-key.ts';
import type { DocumentIndexer } from '../../domain/shared/text-indexer.ts';
import type { EngineMaintenance } from '../../domain/system/engine-maintenance.ts';
import type { FailureLog } from '../../lib/failure-log.ts';
import type { IndexReader } from '../../retrieval/ports.ts';
import type { StorageEngine } from '../engine.ts';
import type { Database, UserTable } from './core/schema.ts';
import type { StoreSnapshot } from './maintenance/store-snapshot.ts';
import type { SqlIndexRows } from './search-index/index-rows.ts';
import type { KeywordWriter } from './search-index/keyword-writer.ts';
import type { ReadColumns } from './transfer/table-shapes.ts';
import type { SpaceRegistry } from './vectors/space-registry.ts';
import type { ToVectorRows } from './vectors/vector-sum.ts';

/** A transaction of one user. */
export type UserBody<T> = (
  db: Kysely<Database>,
  keywords: KeywordWriter,
  /** False where the user was removed: what the transaction writes then would stay for good. */
  isActive: () => boolean,
) => Promise<T>;

/** Some rows of a table of user data. */
export interface UserRows {
  readonly table: UserTable;
  readonly userId: number;
  readonly limit: number;
}

/** What finds documents by their words and vectors, and is each engine's own. */
export type EngineIndex = Omit<IndexReader, keyof SqlIndexRows>;

/**
 * All in which one engine differs from another; `createSqlEngine` makes a store of it. Every statement that is not
 * behind one of these functions is written once, for all engines.
 */
export interface SqlDriver
  extends Pick<StorageEngine, 'name' | 'vectorIndex' | 'queueDepth' | 'ping' | 'sizeBytes'> {
  /** What the engine needs besides that of all engines. */
  readonly maintenance: Omit<EngineMaintenance, 'rebuildIndex' | 'changeSpaces' | 'vectorSums'>;
  /** Reads what is committed. */
  readonly read: Kysely<Database>;
  /** Whether other processes may serve the same store. */
  readonly isShared: boolean;
  /** Whether no other process can have taken background work. */
  readonly isOnly: boolean;
  readonly readColumns: ReadColumns;
  /** A transaction that belongs to no user. */
  readonly write: <T>(body: (db: Kysely<Database>) => Promise<T>) => Promise<T>;
  /** A transaction of one user, under that user's lock. */
  readonly writeOf: <T>(userId: number, body: UserBody<T>) => Promise<T>;
  /** @param toVectorRows makes vectors of stored rows */
  readonly indexOf: (userId: number, toVectorRows: ToVectorRows) => EngineIndex;
  /** Runs `body` on the store as it is now; what is written while it runs is not seen. */
  readonly snapshot: <T>(body: (snapshot: StoreSnapshot) => Promise<T>) => Promise<T>;
  /** Takes these documents of a user out of the keyword index, within the given transaction. */
  readonly eraseDocuments: (db: Kysely<Database>, userId: number, docs: readonly number[]) => Promise<void>;
  /** Deletes at most `limit` rows of a user. */
  readonly eraseRows: (db: Kysely<Database>, rows: UserRows) => Promise<void>;
  /** Takes these documents out, whoever they belong to. */
  readonly eraseOrphans: (db: Kysely<Database>, docs: readonly number[]) => Promise<void>;
  /** Empties the keyword index. */
  readonly resetIndex: (db: Kysely<Database>) => Promise<void>;
  /** Takes erased text out of the files; an engine may leave a part of it to its maintenance. */
  readonly scrub: () => Promise<void>;
  /** The same, with all of it done on return. */
  readonly scrubWholly: () => Promise<void>;
  /** Waits for what is queued, then closes. */
  readonly close: () => Promise<void>;
}

/** What an engine is given besides its driver. */
export interface SqlEngineDeps {
  readonly indexer: DocumentIndexer;
  /** Tells of the data of a segment of the index whether they are not what was written. */
  readonly isDamagedSegment: (data: Buffer) => boolean;
  readonly spaces: SpaceRegistry;
  readonly failures: FailureLog;
  /** Steps for which work is recorded with each version of a memory. */
  readonly steps: readonly StepKey[];
}
