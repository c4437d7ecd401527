import { describe, expect, it } from 'vitest';
import { newDatabase } from '../../../test/support/database.ts';
import { newUser, writeMemory } from '../contract/store-fixture.ts';
import { wordIndexer } from '../contract/word-indexer.ts';
import { connect } from './open-store.ts';
import { openSqliteEngine } from './sqlite-engine.ts';

describe('reads of one turn of the event loop', () => {
  it('reads of one turn of the event loop see what was committed before the turn, by this process and by others, and what is committed within it', async () => {
    const database = await newDatabase('sqlite');
    const path = database.url.slice('sqlite:'.length);
    const engine = await openSqliteEngine({ path, indexer: wordIndexer, exclusive: true });
    const user = await newUser(engine);
    const stores = engine.forUser(user);
    const [a, b] = [await writeMemory(stores), await writeMemory(stores)];
    expect(await stores.memories.count()).toBe(2);

    const other = connect(path);
    const rename = other.prepare('UPDATE memory_versions SET content = ? WHERE doc = ?');
    const contentOf = async (id: string) => (await stores.memories.find(id))?.content;
    await contentOf(a.id);
    rename.run('elsewhere', a.doc);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await contentOf(a.id)).toBe('elsewhere');

    const reading = contentOf(b.id);
    const written = writeMemory(stores, { content: 'new' });
    await reading;
    expect(await contentOf((await written).id)).toBe('new');
    other.close();
    await engine.close();
    await database.drop();
  });
});
