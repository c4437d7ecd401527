import type SqliteConnection from 'better-sqlite3';
import type { WriteGroup } from '../sql/write-queue.ts';

/** Begins transactions on the write connection; its statements run at once, so a group never waits on anything. */
export function sqliteGroups<H>(sqlite: SqliteConnection.Database, handle: H): () => Promise<WriteGroup<H>> {
  const run = (sql: string) => {
    const statement = sqlite.prepare(sql);
    return async () => void statement.run();
  };
  const begin = run('BEGIN IMMEDIATE');
  const undo = run('ROLLBACK TO body');
  const release = run('RELEASE body');
  const group: WriteGroup<H> = {
    handle,
    savepoint: run('SAVEPOINT body'),
    release,
    undo: async () => {
      if (!sqlite.inTransaction) throw new Error('SQLite rolled the whole transaction back.');
      await undo();
      await release();
    },
    commit: run('COMMIT'),
    rollback: async () => {
      if (sqlite.inTransaction) sqlite.exec('ROLLBACK');
    },
  };
  return async () => {
    await begin();
    return group;
  };
}
