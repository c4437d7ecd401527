import SqliteConnection from 'better-sqlite3';
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kyselyOver } from '../../sqlite/dialect.ts';
import { join, related } from './joins.ts';
import type { Database } from './schema.ts';
import { UserTables } from './user-tables.ts';

describe('a statement over two tables of a user', () => {
  let db: Kysely<Database>;
  let tables: UserTables;
  beforeAll(async () => {
    db = kyselyOver(new SqliteConnection(':memory:'));
    await sql`CREATE TABLE topics (user_id INTEGER, id TEXT, canonical_id TEXT, name TEXT)`.execute(db);
    await sql`CREATE TABLE memory_topics (user_id INTEGER, memory_id TEXT, topic_id TEXT)`.execute(db);
    await sql`INSERT INTO topics VALUES (1, 't', 't', 'mine'), (2, 't', 't', 'of another')`.execute(db);
    await sql`INSERT INTO memory_topics VALUES (1, 'm', 't'), (2, 'n', 't'), (2, 'o', 't')`.execute(db);
    tables = new UserTables(db, 1);
  });
  afterAll(() => db.destroy());

  it('joins only rows of that user, though another user has the same ids', async () => {
    const rows = tables
      .selectFrom('memory_topics')
      .$call(join('topics', 'memory_topics.topic_id'))
      .$call(join('topics as meant', 'topics.canonical_id'))
      .select(['topics.name', 'meant.name as meant']);
    expect(await rows.execute()).toEqual([{ name: 'mine', meant: 'mine' }]);
  });

  it('counts only rows of that user in a subquery', async () => {
    const rows = tables.selectFrom('topics').select((eb) =>
      related(eb, 'memory_topics', 'topics.id', 'topic_id')
        .select(({ fn }) => fn.countAll().as('count'))
        .as('memories'),
    );
    expect(await rows.execute()).toEqual([{ memories: 1 }]);
  });

  it('names the user for the subquery too, whose tables may be split by user', () => {
    const rows = tables
      .selectFrom('topics')
      .where((eb) => eb.exists(related(eb, 'memory_topics', 'topics.id', 'topic_id').select('topic_id')));
    const { sql: text, parameters } = rows.compile();
    expect(text.match(/"user_id" = \?/g)).toHaveLength(2);
    expect(parameters).toEqual([1, 1]);
  });

  it('a statement over two tables does not compile where a table comes in otherwise, or is matched by what is not read', () => {
    const topics = tables.selectFrom('topics');
    // @ts-expect-error: a table joined without its user
    expect(() => topics.innerJoin('memory_topics', 'memory_topics.topic_id', 'topics.id')).not.toThrow();
    // @ts-expect-error: a subquery without its user
    expect(() => topics.where((eb) => eb.exists(eb.selectFrom('memories')))).not.toThrow();
    // @ts-expect-error: `memories` is not a table of the statement
    expect(() => topics.$call(join('memory_topics', 'memories.id', 'memory_id'))).not.toThrow();
    // @ts-expect-error: facts have no such column
    expect(() => topics.$call(join('facts', 'topics.id', 'topic_id'))).not.toThrow();
  });
});
