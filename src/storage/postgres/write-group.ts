import type { ControlledTransaction, Kysely } from 'kysely';
import type { Database } from '../sql/schema.ts';
import type { WriteGroup } from '../sql/write-queue.ts';

type Savepoint = ControlledTransaction<Database, ['body']>;

/** Begins transactions on a connection of the pool; `prepare` runs first in each of them. */
export function postgresGroups(
  db: Kysely<Database>,
  prepare: (tx: Kysely<Database>) => Promise<void>,
): () => Promise<WriteGroup<Kysely<Database>>> {
  return async () => {
    const tx = await db.startTransaction().execute();
    try {
      await prepare(tx);
    } catch (error) {
      // Where rolling back fails too the connection is broken, and the database has rolled back itself.
      await tx
        .rollback()
        .execute()
        .catch(() => undefined);
      throw error;
    }
    let saved: Savepoint | undefined;
    return {
      handle: tx,
      savepoint: async () => {
        saved = await tx.savepoint('body').execute();
      },
      release: async () => void (await saved?.releaseSavepoint('body').execute()),
      undo: async () => void (await saved?.rollbackToSavepoint('body').execute()),
      commit: async () => void (await tx.commit().execute()),
      rollback: async () => void (await tx.rollback().execute()),
    };
  };
}
