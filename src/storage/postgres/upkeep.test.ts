import pg from 'pg';
import { describe, it } from 'vitest';
import { engines, newDatabase } from '../../../test/support/database.ts';
import { describeUpkeep } from '../contract/upkeep.contract.ts';
import { keyPrefix } from '../sql/search-index/keyword-index.ts';
import { openPostgresEngine } from './postgres-engine.ts';

if (engines.includes('postgres')) {
  describeUpkeep('postgres', async () => {
    const database = await newDatabase('postgres');
    const run = async (statement: string, values: unknown[] = []) => {
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      await client.query(statement, values);
      await client.end();
    };
    return {
      open: (indexer) => openPostgresEngine({ url: database.url, connections: 5, indexer }),
      corrupt: run,
      dropDocument: (doc) => run('DELETE FROM keyword_documents WHERE doc = $1', [doc]),
      plantDocument: ({ id }, doc) => {
        const prefix = keyPrefix('memory', id);
        const keys = [`${prefix}stray`, `${prefix}word`];
        return run('INSERT INTO keyword_documents VALUES ($1, $2, array_to_tsvector($3::text[]))', [
          id,
          doc,
          keys,
        ]);
      },
      drop: () => database.drop(),
    };
  });
} else {
  describe('upkeep on postgres', () => {
    it.todo('the contract of upkeep runs on PostgreSQL where MEMORYD_TEST_POSTGRES_URL names a server');
  });
}
