import type { Kysely } from 'kysely';
import type { Database } from '../core/schema.ts';
import type { IndexedDocuments } from './indexed-documents.ts';

/** The store as it stood at one moment. */
export interface StoreSnapshot {
  readonly db: Kysely<Database>;
  /** Damage that the engine itself finds: of the database, and inside the keyword index. */
  damage(): Promise<{ readonly database: string[]; readonly index: string[] }>;
  /** Puts every document of the keyword index and its keys into `indexed`. */
  readDocuments(indexed: IndexedDocuments): Promise<void>;
}
