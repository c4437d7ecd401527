import { type Kysely, sql } from 'kysely';
import type { FailureReporter } from '../../lib/failure-log.ts';
import type { Database } from '../sql/schema.ts';

/**
 * Makes the room of deleted rows free to be written over. What an older snapshot still sees stays for the server's
 * own vacuum, as does what its write-ahead log holds. Left to the server where this role may not.
 */
export async function vacuum(db: Kysely<Database>, failures: FailureReporter): Promise<void> {
  const done = sql`VACUUM (SKIP_LOCKED) memory_versions, memories, memory_edges, memory_topics, topic_origins, conversations,
    keyword_documents, user_terms, idempotency_keys, trash_entries`;
  await done.execute(db).catch((error: unknown) => failures.failed('vacuum', error));
}
