import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { engines, newDatabase } from '../../../test/support/database.ts';
import type { Database } from '../sql/core/schema.ts';
import { frequencyKey, keyPrefix } from '../sql/search-index/keyword-index.ts';
import {
  KeywordPartitions,
  keywordStatements,
  PostgresKeywordReader,
  usersWithLongLists,
} from './keyword-index.ts';
import { NamedStatements } from './named-statements.ts';

describe.runIf(engines.includes('postgres'))('postings on PostgreSQL', () => {
  it('are planned for the values as soon as a user has had a long list, and by name for others', async () => {
    const database = await newDatabase('postgres');
    const texts: string[] = [];
    const db = new Kysely<Database>({
      dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: database.url }) }),
      log: ({ query }) => void texts.push(query.sql),
    });
    try {
      for (const statement of keywordStatements) await sql.raw(statement).execute(db);
      const fill = (user: number, docs: number) =>
        sql`INSERT INTO keyword_documents SELECT ${user}, doc, array_to_tsvector(ARRAY[${frequencyKey(keyPrefix('memory', user), 'tea', 1)}])
          FROM generate_series(1, ${docs}) AS doc`.execute(db);
      await fill(1, 1000);
      await fill(2, 999);
      const deps = { longLists: usersWithLongLists(), parts: new KeywordPartitions() };
      const names = new NamedStatements();
      const read = async (user: number) => {
        const [docs] = await new PostgresKeywordReader(db, user, deps).docsContaining('memory', ['tea']);
        const text = texts.at(-1) ?? '';
        names.of(text, []);
        return [docs.length, names.of(text, []).name !== undefined];
      };
      expect(await read(1)).toEqual([1000, true]);
      expect(await read(1)).toEqual([1000, false]);
      expect(await read(2)).toEqual([999, true]);
      expect(await read(2)).toEqual([999, true]);
    } finally {
      await db.destroy();
      await database.drop();
    }
  });
});
