import { InMemoryStore, type Item } from '@langchain/langgraph-checkpoint';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../src/index.js';
import { MemorydStore } from '../src/integrations/langgraph.js';
import { newClient } from './user.js';

const said = (items: readonly Item[]) =>
  items.map(({ namespace, key, value }) => JSON.stringify([namespace, key, value])).sort();

describe('the store of LangGraph', () => {
  let client: Client;
  beforeEach(async () => {
    client = await newClient();
  });

  it('the store keeps, finds and lists items', async () => {
    const store = new MemorydStore(client);
    await store.put(['users', 'Ana'], 'seat', {
      text: 'prefers the window',
      score: 3,
      nested: { a: [1, null] },
    });
    const item = await store.get(['users', 'Ana'], 'seat');
    expect(item?.value.nested).toEqual({ a: [1, null] });
    await store.put(['users', 'Ana'], 'seat', { text: 'prefers the aisle', score: 4 });
    const changed = await store.get(['users', 'Ana'], 'seat');
    expect(changed?.createdAt).toEqual(item?.createdAt);
    await store.put(['users', 'ana'], 'tea', { text: 'drinks tea' });
    const hits = await store.search(['users'], { query: 'who sits at the aisle?', limit: 1 });
    expect(hits[0]).toMatchObject({ value: { text: 'prefers the aisle' }, score: expect.any(Number) });
    await store.delete(['users', 'Ana'], 'seat');
    expect(await store.get(['users', 'Ana'], 'seat')).toBeNull();
    await store.put(['users', 'Ana'], 'seat', { text: 'again' });
  });

  it('the store does what the one in memory does', async () => {
    const stores = [new MemorydStore(client), new InMemoryStore()];
    const spaces = [['a'], ['a', 'b'], ['a', 'b', 'c'], ['x', 'b'], ['X', 'b']];
    for (const [i, space] of spaces.entries())
      for (const key of ['k', 'K', 'l'])
        for (const store of stores) await store.put(space, key, { n: i, t: key, deep: { m: i % 2 === 0 } });
    for (const store of stores) await store.delete(['a', 'b'], 'K');
    const filters = [undefined, { n: 1 }, { n: { $gte: 2 } }, { t: 'k' }, { n: { $ne: 1 }, t: 'K' }];
    for (const space of [['a'], ['a', 'b'], ['x'], ['none']])
      for (const filter of filters) {
        const [ours, theirs] = await Promise.all(
          stores.map((store) => store.search(space, { filter, limit: 50 })),
        );
        expect(said(ours), JSON.stringify([space, filter])).toEqual(said(theirs));
      }
    for (const options of [{ prefix: ['a'] }, { suffix: ['b'] }, { prefix: ['*', 'b'] }, { maxDepth: 1 }]) {
      const [ours, theirs] = await Promise.all(stores.map((store) => store.listNamespaces(options)));
      expect(ours.map((one) => one.join()).sort()).toEqual(theirs.map((one) => one.join()).sort());
    }
  });
});
