import { afterEach, describe, expect, it } from 'vitest';
import { openStorage } from '../../src/container.ts';
import { ConversationService } from '../../src/domain/conversations/conversation-service.ts';
import { MemoryService } from '../../src/domain/memories/memory-service.ts';
import { automaticTitles } from '../../src/storage/sql/core/migrations/0002-automatic-titles.ts';
import type { ColumnTypes } from '../../src/storage/sql/core/migrations/column-types.ts';
import { engines, newDatabase, type TestDatabase } from '../support/database.ts';
import { readRows, runStatement } from '../support/run-statement.ts';
import { testConfig } from '../support/test-config.ts';

/** Takes back what the migration to a derived graph did. */
const derivedTables = [
  'query_traces',
  'behaviour_states',
  'pattern_evidence',
  'patterns',
  'community_topics',
  'communities',
  'edge_candidates',
  'named_times',
  'derived_topics',
  'fact_entities',
  'fact_mentions',
  'entity_mentions',
  'entities',
  'derivations',
];
const beforeDerivedGraph = [
  ...derivedTables.map((table) => `DROP TABLE ${table}`),
  'DROP INDEX facts_by_subject',
  'DROP INDEX facts_by_key',
  'ALTER TABLE facts DROP COLUMN fact_key',
  'ALTER TABLE facts DROP COLUMN negated',
  'ALTER TABLE facts DROP COLUMN corrected',
  'ALTER TABLE memory_edges DROP COLUMN evidence',
  'ALTER TABLE memory_edges DROP COLUMN withdrawn',
  'ALTER TABLE vector_spaces DROP COLUMN role',
  'DROP TABLE index_segments',
  'ALTER TABLE user_counters DROP COLUMN segments_rev',
  'ALTER TABLE user_counters DROP COLUMN segments_of',
  'DROP INDEX memory_vectors_without_crc',
  'ALTER TABLE memory_vectors DROP COLUMN crc',
  'ALTER TABLE api_keys DROP COLUMN requests_per_minute',
];

/** Takes back what the migration to jobs did, and all later ones. */
const beforeJobs = [
  ...beforeDerivedGraph,
  'DROP TABLE jobs',
  'DROP TABLE backfills',
  'CREATE TABLE jobs (user_id INTEGER)',
  `CREATE TABLE embedding_work (user_id INTEGER, doc INTEGER, space INTEGER, attempts INTEGER, due_at INTEGER,
    taken INTEGER, error TEXT)`,
  'ALTER TABLE vector_spaces ADD COLUMN walk TEXT',
  'DELETE FROM schema_migrations WHERE id >= 10',
];

describe.each(engines)('a store from before conversations knew who titled them, on %s', (engine) => {
  let database: TestDatabase | undefined;

  afterEach(() => database?.drop());

  it('a store from before conversations knew who titled them gets titles that follow their memories, but for those that a client gave', async () => {
    database = await newDatabase(engine);
    const config = testConfig({ MEMORYD_DATABASE_URL: database.url });
    let time = 1000;
    const clock = { now: () => time++ };
    const open = async () => {
      const stores = await openStorage(config, { exclusive: true });
      return { stores, memories: new MemoryService({ stores, clock }) };
    };
    const older = await open();
    const user = await older.stores.users.insert({ publicId: 'p', name: 'ada', email: 'a@b.test', at: 1 });
    const made = await new ConversationService({ ...older, clock }).create(user, { title: 'given' });
    await older.memories.create(user, { content: 'first of the given' }, { conversationId: made.id });
    const auto = await older.memories.create(user, { content: 'made for this' }, { conversationId: 'NEW' });
    await older.stores.close();
    const [, marking] = automaticTitles({ integer: 'INTEGER' } as ColumnTypes);
    await runStatement(database, 'UPDATE conversations SET auto_titled = 0');
    await runStatement(database, marking);

    const newer = await open();
    const { conversations } = newer.stores.forUser(user);
    expect((await conversations.find(made.id))?.autoTitled).toBe(false);
    expect((await conversations.find(auto.memory.conversationId))?.autoTitled).toBe(true);
    await newer.stores.close();
  });
});

describe.each(engines)('a store from before topics were folded in full, on %s', (engine) => {
  let database: TestDatabase | undefined;

  afterEach(() => database?.drop());

  it('a store from before topics were folded in full finds a topic by every spelling, and keeps one that another is now the same as, with its memories', async () => {
    database = await newDatabase(engine);
    const config = testConfig({ MEMORYD_DATABASE_URL: database.url });
    const older = await openStorage(config, { exclusive: true });
    const user = await older.users.insert({ publicId: 'p', name: 'ada', email: 'a@b.test', at: 1 });
    const write = (stores: typeof older, topic: string) =>
      new MemoryService({ stores, clock: { now: () => 1000 } }).create(
        user,
        { content: `about ${topic}`, topics: [topic] },
        { conversationId: 'NEW' },
      );
    await write(older, 'Große Straße');
    await write(older, 'Maße');
    await write(older, 'masse two');
    await older.close();
    const set = (name: string, before: string) =>
      runStatement(
        database as TestDatabase,
        `UPDATE topics SET name = '${name}', normalized_name = '${before}' WHERE name = '${name === 'MASSE' ? 'masse two' : name}'`,
      );
    await set('Große Straße', 'große straße');
    await set('Maße', 'maße');
    await set('MASSE', 'masse');
    await runStatement(database, "DELETE FROM topic_words WHERE word LIKE 'stra%'");
    for (const statement of [...beforeJobs, 'DELETE FROM schema_migrations WHERE id >= 9'])
      await runStatement(database, statement);

    const newer = await openStorage(config, { exclusive: true });
    const { topics } = newer.forUser(user);
    expect((await topics.find('GROSSE STRASSE'))?.name).toBe('Große Straße');
    expect(await topics.matchWord('strass', 10)).toHaveLength(1);
    expect((await topics.find('Maße'))?.name).toBe('MASSE');
    await newer.close();
    const rows = await readRows(database, 'SELECT normalized_name FROM topics ORDER BY normalized_name');
    expect(rows.map((row) => row.normalized_name)).toEqual(['grosse strasse', 'masse', 'maße']);
  });
});

describe.each(engines)('a store from before all background work was in one table, on %s', (engine) => {
  let database: TestDatabase | undefined;

  afterEach(() => database?.drop());

  it('an older store goes on with what waited for the model, what was given up, and a change of model that was under way', async () => {
    database = await newDatabase(engine);
    const own = database;
    const config = testConfig({ MEMORYD_DATABASE_URL: database.url });
    const older = await openStorage(config, { exclusive: true });
    const user = await older.users.insert({ publicId: 'p', name: 'ada', email: 'a@b.test', at: 1 });
    const memories = new MemoryService({ stores: older, clock: { now: () => 1000 } });
    const { memory } = await memories.create(user, { content: 'waits' }, { conversationId: 'NEW' });
    await older.close();
    for (const statement of [
      ...beforeJobs,
      `INSERT INTO embedding_work VALUES (${user.id}, ${memory.doc}, 1, 0, 7, 0, NULL)`,
      `INSERT INTO embedding_work VALUES (${user.id}, ${memory.doc}, 2, 3, NULL, 0, 'refused')`,
      `UPDATE vector_spaces SET walk = '{"userId":${user.id},"done":3,"total":9}'`,
    ])
      await runStatement(own, statement);

    const newer = await openStorage(config, { exclusive: true });
    expect(await newer.embedding.spaces()).toMatchObject([{ done: 3, total: 9, waiting: 1 }]);
    expect(await newer.work.status(user)).toEqual([
      { step: 'embed', waiting: 1, failed: 0, parked: 1, lastError: undefined },
    ]);
    await newer.close();
  });
});
