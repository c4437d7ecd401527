import SqliteConnection from 'better-sqlite3';
import { Kysely, SqliteDialect, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from './schema.ts';
import { UserQuery } from './user-query.ts';

interface Range {
  readonly [name: string]: unknown;
  readonly from: number;
  readonly only?: boolean;
}
type Row = { readonly seq: number };

describe('a query compiled once', () => {
  let db: Kysely<Database>;
  beforeAll(async () => {
    db = new Kysely<Database>({ dialect: new SqliteDialect({ database: new SqliteConnection(':memory:') }) });
    await sql`CREATE TABLE memories (user_id INTEGER, seq INTEGER)`.execute(db);
    await sql`INSERT INTO memories VALUES (1, 5), (1, 9), (2, 7)`.execute(db);
  });
  afterAll(() => db.destroy());

  const run = async (query: UserQuery<Range, Row>, args: Range) =>
    query.run(db, { userId: 1, hides: 1 }, args);

  it('a query compiled once gives the rows of each run by its arguments', async () => {
    const query = new UserQuery<Range, Row>((tables, { from }) =>
      tables.selectFrom('memories').select('seq').where('seq', '>', from),
    );
    expect(await run(query, { from: 4 })).toEqual([{ seq: 5 }, { seq: 9 }]);
    expect(await run(query, { from: 5 })).toEqual([{ seq: 9 }]);
  });

  it('a query compiled once refuses a builder that computes with an argument', async () => {
    const query = new UserQuery<Range, Row>((tables, { from }) =>
      tables
        .selectFrom('memories')
        .select('seq')
        .where('seq', '>', from + 1),
    );
    await expect(run(query, { from: 4 })).rejects.toThrow('The argument from was computed with');
  });

  it('a query compiled once refuses a builder that makes a text of an argument, or reads a property of it', async () => {
    const text = new UserQuery<Range, Row>((tables, { from }) =>
      tables
        .selectFrom('memories')
        .select('seq')
        .where('seq', '=', Number(`${from}`)),
    );
    await expect(run(text, { from: 4 })).rejects.toThrow('The argument from was computed with');
    const property = new UserQuery<Range, Row>((tables, { from }) =>
      tables.selectFrom('memories').select('seq').where('seq', '=', Number(from.toFixed())),
    );
    await expect(run(property, { from: 4 })).rejects.toThrow('toFixed of the argument from was read');
  });

  it('a query compiled once refuses a builder that decides by an argument', async () => {
    const truth = new UserQuery<Range, Row>((tables, { from, only }) => {
      const all = tables.selectFrom('memories').select('seq');
      return only ? all.where('seq', '=', from) : all;
    });
    await expect(run(truth, { from: 4, only: false })).rejects.toThrow('was tested for truth or compared');
    const compared = new UserQuery<Range, Row>((tables, { from, only }) => {
      const all = tables.selectFrom('memories').select('seq');
      return only === true ? all.where('seq', '=', from) : all;
    });
    await expect(run(compared, { from: 4, only: true })).rejects.toThrow('was tested for truth or compared');
  });

  it('a query compiled once refuses a builder that decides a value of the statement by an argument', async () => {
    const chosen = new UserQuery<Range, Row>((tables, { only }) =>
      tables
        .selectFrom('memories')
        .select('seq')
        .where('seq', '>', only ? 5 : 0),
    );
    await expect(run(chosen, { from: 4, only: true })).rejects.toThrow('was tested for truth or compared');
    const negated = new UserQuery<Range, Row>((tables, { only }) =>
      tables.selectFrom('memories').select('seq').where('seq', '>', Number(!only)),
    );
    await expect(run(negated, { from: 4, only: true })).rejects.toThrow('was tested for truth or compared');
  });

  it('a query compiled once refuses a builder that compares an argument with the value of its first run', async () => {
    const query = new UserQuery<Range, Row>((tables, { from }) => {
      const all = tables.selectFrom('memories').select('seq');
      return from === 4 ? all : all.where('seq', '>', from);
    });
    await expect(run(query, { from: 4 })).rejects.toThrow('was tested for truth or compared');
  });

  it('a query compiled once refuses a builder that lists its arguments', async () => {
    const query = new UserQuery<Range, Row>((tables, args) => {
      const { from } = { ...args };
      return tables.selectFrom('memories').select('seq').where('seq', '=', from);
    });
    await expect(run(query, { from: 4 })).rejects.toThrow('The arguments were listed or spread');
  });

  it('a query compiled once refuses an argument that is undefined', async () => {
    const query = new UserQuery<Range, Row>((tables, { from }) =>
      tables.selectFrom('memories').select('seq').where('seq', '>', from),
    );
    await expect(run(query, { from: undefined as unknown as number })).rejects.toThrow(
      'The argument from is undefined',
    );
  });
});
