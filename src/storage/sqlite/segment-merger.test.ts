import SqliteConnection from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newDatabase, sqlitePath, type TestDatabase } from '../../../test/support/database.ts';
import { changeMemory } from '../../domain/memories/change-memory.ts';
import { newUser, writeMemory } from '../contract/store-fixture.ts';
import { wordIndexer } from '../contract/word-indexer.ts';
import type { StorageEngine } from '../engine.ts';
import { WriteQueue } from '../sql/core/write-queue.ts';
import { kyselyOver } from './dialect.ts';
import { toStorageError } from './errors.ts';
import { PendingDocuments } from './keyword-index.ts';
import { SegmentMerger } from './segment-merger.ts';
import { openSqliteEngine } from './sqlite-engine.ts';
import { sqliteGroups } from './write-group.ts';

const words = ['tea', 'milk', 'cocoa', 'coffee', 'water', 'juice', 'wine'];
const contentOf = (i: number) => [0, 1, 2, 3].map((j) => words[(i * 3 + j * j) % words.length]).join(' ');

describe('merging index segments', () => {
  let database: TestDatabase;
  let engine: StorageEngine;
  let sqlite: SqliteConnection.Database;
  let merger: SegmentMerger;
  beforeEach(async () => {
    database = await newDatabase('sqlite');
    const path = sqlitePath(database.url);
    engine = await openSqliteEngine({ path, indexer: wordIndexer, exclusive: true });
    sqlite = new SqliteConnection(path);
    const groups = sqliteGroups(sqlite, {
      handle: kyselyOver(sqlite),
      documents: new PendingDocuments(sqlite),
    });
    merger = new SegmentMerger(sqlite, new WriteQueue(groups, toStorageError));
  });
  afterEach(async () => {
    sqlite.close();
    await engine.close();
    await database.drop();
  });

  const segments = () => sqlite.prepare('SELECT count(DISTINCT segid) FROM keyword_index_idx').pluck().get();
  const mergeAll = async () => {
    let steps = 1;
    while (await merger.step()) steps++;
    return steps;
  };

  it('merging index segments leaves one segment and the same postings', async () => {
    const user = await newUser(engine);
    const stores = engine.forUser(user);
    for (let i = 0; i < 30; i++) {
      const memory = await writeMemory(stores, { content: contentOf(i) });
      if (i % 5 === 0)
        await stores.transaction((tx) =>
          changeMemory({ tx, at: 3000, indexer: stores.indexer }, memory, { content: 'milk' }),
        );
    }
    const postings = () => engine.indexFor(user).postings('memory', words);
    const before = await postings();
    expect(segments()).toBeGreaterThan(1);
    expect(await mergeAll()).toBeGreaterThan(1);
    expect(segments()).toBe(1);
    expect(await postings()).toEqual(before);
    expect(await mergeAll()).toBe(1);
    expect(await engine.upkeep.check(() => undefined)).toMatchObject({ faults: [], indexDamage: [] });
  });

  it('merging index segments does not count its own steps as writes', async () => {
    expect(merger.writes()).toBe(0);
    await mergeAll();
    expect(merger.writes()).toBe(0);
  });
});
