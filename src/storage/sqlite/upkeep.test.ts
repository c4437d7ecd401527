import SqliteConnection from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { newDatabase, sqlitePath } from '../../../test/support/database.ts';
import { newUser, writeMemory } from '../contract/store-fixture.ts';
import { describeUpkeep } from '../contract/upkeep.contract.ts';
import { wordIndexer } from '../contract/word-indexer.ts';
import { keyPrefix } from '../sql/search-index/keyword-index.ts';
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

describe('a damaged keyword index', () => {
  it('a damaged keyword index keeps the service from starting, and says what to do', async () => {
    const database = await newDatabase('sqlite');
    const path = sqlitePath(database.url);
    const serving = { path, indexer: wordIndexer, exclusive: true };
    const engine = await openSqliteEngine(serving);
    await writeMemory(engine.forUser(await newUser(engine)));
    await engine.close();
    const sqlite = new SqliteConnection(path).unsafeMode();
    sqlite.exec('DELETE FROM keyword_index_data WHERE id > 10');
    sqlite.close();
    await expect(openSqliteEngine(serving)).rejects.toThrow('memoryd check --repair');
    await database.drop();
  });

  it.each([
    ['words without documents', 'DELETE FROM keyword_index_docsize WHERE id = 2'],
    ['a lost page', 'DELETE FROM keyword_index_data WHERE id > 10'],
  ])('a damaged keyword index is found and rebuilt: %s', async (_, statement) => {
    const database = await newDatabase('sqlite');
    const path = sqlitePath(database.url);
    const engine = await openSqliteEngine({ path, indexer: wordIndexer, exclusive: false });
    const user = await newUser(engine);
    const { doc } = await writeMemory(engine.forUser(user), { content: 'walrus' });
    const sqlite = new SqliteConnection(path).unsafeMode();
    sqlite.exec(statement);
    sqlite.close();
    const quiet = () => undefined;
    const report = await engine.upkeep.check(quiet);
    expect(report.indexDamage).toHaveLength(1);
    expect(report.damage).toEqual([]);
    await engine.upkeep.repair(report, { at: 9000, onProgress: quiet });
    // All documents are gone, so documents that were intact before are missing now.
    await engine.upkeep.repair(await engine.upkeep.check(quiet), { at: 9000, onProgress: quiet });
    expect(await engine.upkeep.check(quiet)).toMatchObject({ indexDamage: [], orphans: [], faults: [] });
    expect((await engine.indexFor(user).postings('memory', ['walrus']))[0].docs).toEqual([doc]);
    await engine.close();
    await database.drop();
  });
});
