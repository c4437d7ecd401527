import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { newDatabase } from '../../../test/support/database.ts';
import { describeStorageEngine } from '../contract/storage-engine.contract.ts';
import { newUser, writeMemory } from '../contract/store-fixture.ts';
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

describe('erasing a user on sqlite', () => {
  it('erasing a user leaves none of their text in the SQLite file or its WAL', async () => {
    const database = await newDatabase('sqlite');
    const path = database.url.slice('sqlite:'.length);
    const engine = await openSqliteEngine({ path, indexer: wordIndexer, exclusive: true });
    const [gone, stays] = [await newUser(engine), await newUser(engine)];
    for (let i = 0; i < 40; i++) {
      await writeMemory(engine.forUser(gone), {
        content: `xylophonist quagmire ${'filler '.repeat(i * 3)}`,
        topics: ['zymurgy'],
      });
      await writeMemory(engine.forUser(stays), { content: 'pomegranate' });
    }
    await engine.users.erase(gone);
    const bytes = Buffer.concat([path, `${path}-wal`].map((file) => readFileSync(file)));
    for (const word of ['xylophonist', 'quagmire', 'zymurgy']) expect(bytes.includes(word), word).toBe(false);
    expect(bytes.includes('pomegranate')).toBe(true);
    await engine.close();
    await database.drop();
  });
});
