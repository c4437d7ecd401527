import { newDatabase } from '../../../test/support/database.ts';
import { describeStorageEngine } from '../contract/storage-engine.contract.ts';
import { wordIndexer } from '../contract/word-indexer.ts';
import { openSqliteEngine } from './sqlite-engine.ts';

describeStorageEngine('sqlite', async () => {
  const database = await newDatabase('sqlite');
  const path = database.url.slice('sqlite:'.length);
  return {
    open: () => openSqliteEngine({ path, indexer: wordIndexer, exclusive: true }),
    drop: () => database.drop(),
  };
});
