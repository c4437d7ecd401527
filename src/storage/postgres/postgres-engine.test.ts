import { describe, it } from 'vitest';
import { engines, newDatabase } from '../../../test/support/database.ts';
import { describeStorageEngine } from '../contract/storage-engine.contract.ts';
import { wordIndexer } from '../contract/word-indexer.ts';
import { openPostgresEngine } from './postgres-engine.ts';

if (engines.includes('postgres')) {
  describeStorageEngine('postgres', async () => {
    const database = await newDatabase('postgres');
    return {
      open: () => openPostgresEngine({ url: database.url, connections: 10, indexer: wordIndexer }),
      drop: () => database.drop(),
    };
  });
} else {
  describe('postgres store', () => {
    it.todo('the contract of stores runs on PostgreSQL where MEMORYD_TEST_POSTGRES_URL names a server');
  });
}
