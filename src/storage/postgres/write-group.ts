import type { ControlledTransaction, Kysely } from 'kysely';
import type { Database } from '../sql/core/schema.ts';
import type { WriteGroup } from '../sql/core/write-queue.ts';

type Savepoint = ControlledTransaction<Database, ['body']>;

/** Begins transactions on a connection of the pool; `prepare` runs first in each of them and makes its handle. */
export function postgresGroups<H>(
  db: Kysely<Database>,
  prepare: (tx: Kysely<Database>) => Promise<H>,
): () => Promise<WriteGroup<H>> {
  return async () => {
    const tx = await db.startTransaction().execute();
    let handle: H;
    try {
      handle = await prepare(tx);
    } catch (error) {
      // A failing rollback means a broken connection: the database has rolled back itself.
      await tx
        .rollback()
        .execute()
        .catch(() => undefined);
      throw error;
    }
    let saved: Savepoint | undefined;
    return {
      handle,
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
