import { describe, expect, it } from 'vitest';
import { indexRow } from '../../../test/support/index-row.ts';
import type { IndexReader, Postings } from '../ports.ts';
import { PostingsCache, type RowPostings } from '../postings/postings-cache.ts';
import { postingsOf, rowsContaining } from './term-postings.ts';
import { UserIndex } from './user-index.ts';

/** A reader in which a term occurs twice in even docs; `before` runs before it returns. */
function fakeReader(lists: Record<string, number[]>, before: () => void = () => undefined) {
  const asked: (string | number)[] = [];
  const docsOf = (terms: readonly string[], after: readonly number[]) =>
    terms.map((term, i) => {
      asked.push(...(after[i] === 0 ? [term] : [term, after[i]]));
      return (lists[term] ?? []).filter((doc) => doc > after[i]);
    });
  const postings = async (_: string, terms: readonly string[], after: readonly number[]) => {
    const found = docsOf(terms, after);
    before();
    return found.map(
      (docs): Postings => ({ docs, frequencies: Uint8Array.from(docs, (doc) => 2 - (doc % 2)) }),
    );
  };
  const docsContaining = async (_: string, terms: readonly string[], after: readonly number[]) =>
    docsOf(terms, after);
  return { asked, reader: { postings, docsContaining } as unknown as IndexReader };
}

/** An index of memories with the docs 10, 20, 30 …: row 0 is doc 10. */
function indexOf(rows: number, cache?: PostingsCache): UserIndex {
  const index = new UserIndex({ epoch: 1, space: 1 }, cache);
  grow(index, rows, 0);
  return index;
}

function grow(index: UserIndex, rows: number, rev: number): void {
  const fresh = Array.from({ length: rows }, (_, i) => indexRow(10 * (index.size + i + 1)));
  index.apply(fresh, rev);
}

const rowsOf = (found: readonly RowPostings[]) => found.map(({ rows }) => [...rows]);

describe('postings cached next to an index', () => {
  it('cached postings are read from the store once, in the order asked for', async () => {
    const index = indexOf(3);
    const { asked, reader } = fakeReader({ tea: [10, 30], milk: [20] });
    expect(rowsOf(await postingsOf(reader, index, ['tea', 'milk']))).toEqual([[0, 2], [1]]);
    expect(rowsOf(await postingsOf(reader, index, ['milk', 'sugar', 'tea']))).toEqual([[1], [], [0, 2]]);
    expect(asked).toEqual(['tea', 'milk', 'sugar']);
  });

  it('cached postings are the rows of the index, without docs that it does not have', async () => {
    const index = indexOf(300);
    const docs = [5, 10, 15, 20, 1000, 1005, 2990, 3000, 3010];
    const frequencies = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 1);
    const reader = { postings: async () => [{ docs, frequencies }] } as unknown as IndexReader;
    const [found] = await postingsOf(reader, index, ['tea']);
    expect([...found.rows]).toEqual([0, 1, 99, 298, 299]);
    expect([...found.frequencies]).toEqual([2, 4, 5, 7, 8]);
  });

  it.each([postingsOf, rowsContaining])(
    'cached postings are read of new rows alone once the index grew (%o)',
    async (read) => {
      const index = indexOf(3);
      const lists = { tea: [10, 25], milk: [] as number[] };
      const { asked, reader } = fakeReader(lists);
      expect(rowsOf(await read(reader, index, ['tea', 'milk']))).toEqual([[0], []]);
      lists.tea.push(35, 40);
      lists.milk.push(50);
      grow(index, 2, 1);
      expect(rowsOf(await read(reader, index, ['tea']))).toEqual([[0, 3]]);
      grow(index, 1, 2);
      expect(rowsOf(await read(reader, index, ['milk', 'sugar', 'tea']))).toEqual([[4], [], [0, 3]]);
      expect(rowsOf(await read(reader, index, ['milk', 'tea']))).toEqual([[4], [0, 3]]);
      expect(asked).toEqual(['tea', 'milk', 'tea', 30, 'sugar', 'milk', 30, 'tea', 50]);
    },
  );

  it('rows of a term whose postings are cached are not read again, but for new ones', async () => {
    const index = indexOf(3);
    const lists = { tea: [10, 30] };
    const { asked, reader } = fakeReader(lists);
    await postingsOf(reader, index, ['tea']);
    expect(rowsOf(await rowsContaining(reader, index, ['tea']))).toEqual([[0, 2]]);
    lists.tea.push(40);
    grow(index, 1, 1);
    expect(rowsOf(await rowsContaining(reader, index, ['tea']))).toEqual([[0, 2, 3]]);
    const [{ frequencies }] = await postingsOf(reader, index, ['tea']);
    expect([...frequencies]).toEqual([2, 2, 2]);
    expect(asked).toEqual(['tea', 'tea', 30, 'tea', 30]);
  });

  it('cached postings keep how often the term stands in old rows and in new ones', async () => {
    const index = indexOf(300);
    const docs = [10, 300, 1005];
    const frequencies = Uint8Array.of(3, 4, 5);
    const reader = { postings: async () => [{ docs, frequencies }] } as unknown as IndexReader;
    await postingsOf(reader, index, ['tea']);
    grow(index, 1, 1);
    docs.splice(0, 3, 3010);
    frequencies[0] = 8;
    const [found] = await postingsOf(reader, index, ['tea']);
    expect([...found.rows]).toEqual([0, 29, 300]);
    expect([...found.frequencies]).toEqual([3, 4, 8]);
  });

  it('cached postings have what came while they were read', async () => {
    const index = indexOf(3);
    const lists = { tea: [10], milk: [20] };
    const { asked, reader } = fakeReader(lists, () => {
      if (index.size === 3) grow(index, 1, 1);
      lists.tea.push(40);
    });
    expect(rowsOf(await postingsOf(reader, index, ['tea', 'milk']))).toEqual([[0, 3], [1]]);
    expect(asked).toEqual(['tea', 'milk', 'tea', 30, 'milk', 30]);
  });

  it('cached postings are bounded over all indexes', async () => {
    const cache = new PostingsCache(10_000);
    const [mine, yours] = [indexOf(2000, cache), indexOf(2000, cache)];
    const many = Array.from({ length: 700 }, (_, i) => 10 * (i + 1));
    const all = Array.from({ length: 2000 }, (_, i) => 10 * (i + 1));
    const { asked, reader } = fakeReader({ a: many, b: many, all });
    // 10,000 bytes have room for two lists of 700 rows, but not for one of 2,000.
    const ask = async (index: UserIndex, term: string) => (await postingsOf(reader, index, [term]))[0].rows;
    for (const term of ['a', 'b', 'a', 'b']) expect((await ask(mine, term)).length).toBe(700);
    expect(asked.splice(0)).toEqual(['a', 'b']);
    // Only the least recently used list is evicted.
    expect((await ask(yours, 'a')).length).toBe(700);
    await ask(mine, 'b');
    expect(asked.splice(0)).toEqual(['a']);
    await ask(mine, 'a');
    await ask(mine, 'b');
    await ask(yours, 'a');
    expect(asked.splice(0)).toEqual(['a', 'a']);
    for (const term of ['all', 'all']) expect((await ask(mine, term)).length).toBe(2000);
    expect(asked).toEqual(['all', 'all']);
    expect(cache.bytes).toBeLessThanOrEqual(10_000);
  });

  it('cached postings take what others leave of the memory, and give it back', async () => {
    let spare = 10_000;
    const cache = new PostingsCache(5_000, () => spare);
    const index = indexOf(700, cache);
    const docs = Array.from({ length: 700 }, (_, i) => 10 * (i + 1));
    const { asked, reader } = fakeReader({ a: docs, b: docs, c: docs });
    for (const term of ['a', 'b', 'c', 'a', 'b', 'c']) await postingsOf(reader, index, [term]);
    expect(asked.splice(0)).toEqual(['a', 'b', 'c']);
    spare = -1;
    cache.fit();
    expect(cache.bytes).toBeLessThanOrEqual(5_000);
    for (const term of ['c', 'a']) await postingsOf(reader, index, [term]);
    expect(asked).toEqual(['a']);
  });

  it('cached postings take room for what they grew by', async () => {
    const cache = new PostingsCache(10_000);
    const index = indexOf(700, cache);
    const docs = Array.from({ length: 700 }, (_, i) => 10 * (i + 1));
    const { asked, reader } = fakeReader({ a: docs });
    await postingsOf(reader, index, ['a']);
    const before = cache.bytes;
    docs.push(7010);
    grow(index, 1, 1);
    await postingsOf(reader, index, ['a']);
    expect(cache.bytes - before).toBe(5);
    grow(index, 1300, 2);
    docs.push(...Array.from({ length: 1299 }, (_, i) => 7020 + 10 * i));
    // 2,000 rows have no room, and the list cached before is dropped too.
    expect((await postingsOf(reader, index, ['a']))[0].rows.length).toBe(2000);
    expect(cache.bytes).toBe(0);
    index.postings.clear();
    expect(cache.bytes).toBe(0);
    expect(asked).toEqual(['a', 'a', 7000, 'a', 7010]);
  });
});
