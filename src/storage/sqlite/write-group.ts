import type SqliteConnection from 'better-sqlite3';
import type { WriteGroup } from '../sql/core/write-queue.ts';
import type { ReadTransaction } from './dialect.ts';
import type { PendingDocuments } from './keyword-index.ts';

interface WriteGroupDeps<H> {
  readonly handle: H;
  readonly documents: PendingDocuments;
  /** Transaction of the connection that reads. */
  readonly turn?: ReadTransaction;
  /** Throws if nothing may be written. */
  readonly assertWritable?: () => void;
  /** Runs first in each group. */
  readonly prepare?: () => Promise<void>;
}

/** Begins transactions on the write connection; its statements are synchronous, so a group never waits. */
export function sqliteGroups<H>(
  sqlite: SqliteConnection.Database,
  { handle, documents, turn, assertWritable, prepare }: WriteGroupDeps<H>,
): () => Promise<WriteGroup<H>> {
  const run = (sql: string) => {
    const statement = sqlite.prepare(sql);
    return async () => void statement.run();
  };
  const begin = run('BEGIN IMMEDIATE');
  const savepoint = run('SAVEPOINT body');
  const commit = run('COMMIT');
  const undo = run('ROLLBACK TO body');
  const release = run('RELEASE body');
  const group: WriteGroup<H> = {
    handle,
    savepoint: async () => {
      documents.savepoint();
      await savepoint();
    },
    release,
    undo: async () => {
      if (!sqlite.inTransaction) throw new Error('SQLite rolled the whole transaction back.');
      documents.undo();
      await undo();
      await release();
    },
    commit: async () => {
      documents.flush();
      await commit();
      turn?.end();
      documents.committed();
    },
    rollback: async () => {
      documents.discard();
      if (sqlite.inTransaction) sqlite.exec('ROLLBACK');
    },
  };
  return async () => {
    assertWritable?.();
    await begin();
    try {
      await prepare?.();
    } catch (error) {
      await group.rollback();
      throw error;
    }
    return group;
  };
}
