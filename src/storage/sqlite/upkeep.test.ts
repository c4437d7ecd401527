import SqliteConnection from 'better-sqlite3';
import { newDatabase, sqlitePath } from '../../../test/support/database.ts';
import { describeUpkeep } from '../contract/upkeep.contract.ts';
import { keyPrefix } from '../sql/posting-keys.ts';
import { openSqliteEngine } from './sqlite-engine.ts';

describeUpkeep('sqlite', async () => {
  const database = await newDatabase('sqlite');
  const path = sqlitePath(database.url);
  const run = async (statement: string, ...values: unknown[]) => {
    const sqlite = new SqliteConnection(path);
    sqlite.prepare(statement).run(...values);
    sqlite.close();
  };
  return {
    open: (indexer) => openSqliteEngine({ path, indexer, exclusive: true }),
    corrupt: run,
    dropDocument: (doc) => run('DELETE FROM keyword_index WHERE rowid = ?', doc),
    plantDocument: ({ id }, doc) => {
      const prefix = keyPrefix('memory', id);
      const keys = `${prefix}stray ${prefix}word`;
      return run('INSERT INTO keyword_index (rowid, keys) VALUES (?, ?)', doc, keys);
    },
    drop: () => database.drop(),
  };
});
