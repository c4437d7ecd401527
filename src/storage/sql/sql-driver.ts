import type { Kysely } from 'kysely';
import type { StepKey } from '../../domain/jobs/step-key.ts';
import type { Stores } from '../../domain/shared/stores.ts';
import type { DocumentIndexer, TextIndexer } from '../../domain/shared/text-indexer.ts';
import type { EngineMaintenance } from '../../domain/system/engine-maintenance.ts';
import type { FailureLog } from '../../lib/failure-log.ts';
import type { IndexReader } from '../../search-index/ports.ts';
import type { StorageEngine } from '../engine.ts';
import type { Database, UserTable } from './core/schema.ts';
import type { SqlIndexRows } from './search-index/index-rows.ts';
import type { KeywordWriter } from './search-index/keyword-index.ts';
import type { ReadColumns } from './transfer/table-shapes.ts';
import type { StoreSnapshot } from './upkeep/indexed-documents.ts';
import type { SpaceRegistry } from './vectors/space-registry.ts';

/** A transaction of one user. */
type UserBody<T> = (
  db: Kysely<Database>,
  keywords: KeywordWriter,
  /** False if the user was removed: rows that the transaction writes would never be deleted. */
  isActive: () => boolean,
) => Promise<T>;

/** Tells other processes of commits. A notice may be lost. */
export interface ChangeNotices {
  /** Tells the other processes that something of the user was committed. */
  send(userId: number): void;
  /** Calls `notice` for each commit that another process told of, from now on. */
  listen(notice: (userId: number) => void): void;
}

/** Some rows of a table of user data. */
interface UserRows {
  readonly table: UserTable;
  readonly userId: number;
  readonly limit: number;
}

/** The part of the index that each engine implements itself: documents by words. */
type EngineIndex = Omit<IndexReader, keyof SqlIndexRows>;

/**
 * All differences between the engines; `createSqlEngine` makes a store of it.
 * Every statement outside of these functions is written once, for all engines.
 */
export interface SqlDriver
  extends Pick<StorageEngine, 'name' | 'isReadOnly' | 'queueDepth' | 'ping' | 'sizeBytes' | 'replayLag'> {
  /** Maintenance of this engine, in addition to that of all engines. */
  readonly maintenance: Omit<EngineMaintenance, 'rebuildIndex' | 'changeSpaces' | 'vectorSums'>;
  /** Reads committed rows. */
  readonly read: Kysely<Database>;
  /** Whether other processes may serve the same store. */
  readonly isShared: boolean;
  /** Whether rows of users are on several nodes, so that statements over users must be plain ones. */
  readonly isDistributed: boolean;
  /** Whether no other process can have taken background work. */
  readonly isOnly: boolean;
  readonly readColumns: ReadColumns;
  /** A transaction that belongs to no user. */
  readonly write: <T>(body: (db: Kysely<Database>) => Promise<T>) => Promise<T>;
  /** A transaction of one user, under that user's lock. */
  readonly writeOf: <T>(userId: number, body: UserBody<T>) => Promise<T>;
  /** Wakes readers of changes in other processes; absent if one process serves the store. */
  readonly notices?: ChangeNotices;
  readonly indexOf: (userId: number) => EngineIndex;
  /** Runs `body` on the current state of the store; it does not see later writes. */
  readonly snapshot: <T>(body: (snapshot: StoreSnapshot) => Promise<T>) => Promise<T>;
  /** Removes these documents of a user from the keyword index, in the given transaction. */
  readonly eraseDocuments: (db: Kysely<Database>, userId: number, docs: readonly number[]) => Promise<void>;
  /** Deletes at most `limit` rows of a user. */
  readonly eraseRows: (db: Kysely<Database>, rows: UserRows) => Promise<void>;
  /** Removes these documents, of any user. */
  readonly eraseOrphans: (db: Kysely<Database>, docs: readonly number[]) => Promise<void>;
  /** Empties the keyword index. */
  readonly resetIndex: (db: Kysely<Database>) => Promise<void>;
  /** Removes erased text of a user from the files; an engine may leave a part of it to its maintenance. */
  readonly scrub: (userId: number) => Promise<void>;
  /** Like `scrub`, complete on return. */
  readonly scrubWholly: (userId: number) => Promise<void>;
  /** Waits for queued writes, then closes. */
  readonly close: () => Promise<void>;
}

/** Dependencies of an engine other than its driver. */
export interface SqlEngineDeps {
  readonly indexer: DocumentIndexer;
  /** Whether the data of a segment of the index differ from those written. */
  readonly isDamagedSegment: (data: Buffer) => boolean;
  readonly spaces: SpaceRegistry;
  readonly failures: FailureLog;
  /** Steps that get a job for each version of a memory. */
  readonly steps: readonly StepKey[];
}

/** Dependencies of the upkeep of an index. */
export interface UpkeepDeps extends SqlDriver, SqlEngineDeps {
  readonly stores: Stores;
  /** For texts that are read from the store itself. */
  readonly indexer: TextIndexer;
}
