import { type Kysely, sql } from 'kysely';
import type { Database } from '../sql/schema.ts';
import { IdleWorker } from '../sql/upkeep/idle-worker.ts';
import type { UserQueues } from './user-queues.ts';

const idleMs = 3000;

/**
 * New documents wait in the pending list of the GIN index, which every lookup reads from end to end until autovacuum
 * or a full list (4 MB) moves them into the index. This moves them when the process has not written for 3 s.
 */
export function pendingListCleaner(db: Kysely<Database>, queues: UserQueues): IdleWorker {
  return new IdleWorker(
    {
      writes: () => queues.taken,
      step: async () => {
        await sql`SELECT gin_clean_pending_list('keyword_documents_keys'::regclass)`.execute(db);
        return false;
      },
    },
    { idleMs, stepsMax: 1 },
  );
}
