import type { Kysely } from 'kysely';
import type { Stores } from '../../../domain/shared/stores.ts';
import type { FailureReporter } from '../../../lib/failure-log.ts';
import type { DocumentIndexer } from '../../../retrieval/ports.ts';
import type { Database } from '../core/schema.ts';
import type { KeywordWriter } from '../search-index/keyword-writer.ts';
import type { LiveSpaces } from '../vectors/live-spaces.ts';
import type { StoreSnapshot } from './check-store.ts';

/** What an engine gives for the upkeep of its index. */
export interface UpkeepParts {
  readonly indexer: DocumentIndexer;
  readonly spaces: LiveSpaces;
  readonly read: Kysely<Database>;
  /** A transaction that belongs to no user. */
  readonly write: <T>(body: (db: Kysely<Database>) => Promise<T>) => Promise<T>;
  /** A transaction of one user, under that user's lock. */
  readonly writeOf: <T>(
    userId: number,
    body: (db: Kysely<Database>, keywords: KeywordWriter) => Promise<T>,
  ) => Promise<T>;
  readonly stores: Stores;
  readonly failures: FailureReporter;
  /** Runs `body` on the store as it is now, whatever is written meanwhile. */
  readonly snapshot: <T>(body: (snapshot: StoreSnapshot) => Promise<T>) => Promise<T>;
  /** Takes these documents out, whoever they belong to. */
  readonly eraseOrphans: (db: Kysely<Database>, docs: readonly number[]) => Promise<void>;
  /** Empties the keyword index. */
  readonly resetIndex: (db: Kysely<Database>) => Promise<void>;
}
