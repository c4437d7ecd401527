import { describe, expect, it } from 'vitest';
import { indexRow } from '../../../test/support/index-row.ts';
import type { IndexReader, Postings } from '../ports.ts';
import { PostingsCache, postingsOf, type RowPostings } from './term-postings.ts';
import { UserIndex } from './user-index.ts';

/** A reader that counts what it is asked for; `before` runs before it answers. */
function fakeReader(lists: Record<string, number[]>, before: () => void = () => undefined) {
  const asked: string[] = [];
  const postings = async (_kind: string, terms: readonly string[]): Promise<Postings[]> => {
    asked.push(...terms);
    const found = terms.map((term) => {
      const docs = [...(lists[term] ?? [])];
      return { docs, frequencies: new Uint8Array(docs.length).fill(1) };
    });
    before();
    return found;
  };
  return { asked, reader: { postings } as unknown as IndexReader };
}

/** An index of memories with the docs 10, 20, 30 …: row 0 is doc 10. */
function indexOf(rows: number, cache?: PostingsCache): UserIndex {
  const index = new UserIndex({ epoch: 1, space: 1 }, cache);
  index.apply(
    Array.from({ length: rows }, (_, i) => indexRow(10 * (i + 1))),
    0,
  );
  return index;
}

const rowsOf = (found: readonly RowPostings[]) => found.map(({ rows }) => [...rows]);

describe('postings held beside an index', () => {
  it('are read once, in the order asked for', async () => {
    const index = indexOf(3);
    const { asked, reader } = fakeReader({ tea: [10, 30], milk: [20] });
    expect(rowsOf(await postingsOf(reader, index, ['tea', 'milk']))).toEqual([[0, 2], [1]]);
    expect(rowsOf(await postingsOf(reader, index, ['milk', 'sugar', 'tea']))).toEqual([[1], [], [0, 2]]);
    expect(asked).toEqual(['tea', 'milk', 'sugar']);
  });

  it('are the rows of the index, without docs that it does not have', async () => {
    const index = indexOf(300);
    const docs = [5, 10, 15, 20, 1000, 1005, 2990, 3000, 3010];
    const frequencies = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 1);
    const reader = { postings: async () => [{ docs, frequencies }] } as unknown as IndexReader;
    const [found] = await postingsOf(reader, index, ['tea']);
    expect([...found.rows]).toEqual([0, 1, 99, 298, 299]);
    expect([...found.frequencies]).toEqual([2, 4, 5, 7, 8]);
  });

  it('are read again once the index changed, also while they were being read', async () => {
    const index = indexOf(3);
    const lists = { tea: [10] };
    const { reader } = fakeReader(lists, () => {
      if (index.rev === 0) index.apply([], 1);
    });
    expect(rowsOf(await postingsOf(reader, index, ['tea']))).toEqual([[0]]);
    lists.tea.push(20);
    expect(rowsOf(await postingsOf(reader, index, ['tea']))).toEqual([[0, 1]]);
    lists.tea.push(30);
    expect(rowsOf(await postingsOf(reader, index, ['tea']))).toEqual([[0, 1]]);
    index.apply([], 2);
    expect(rowsOf(await postingsOf(reader, index, ['tea']))).toEqual([[0, 1, 2]]);
  });

  it('are bounded over all indexes', async () => {
    const cache = new PostingsCache(10_000);
    const [mine, yours] = [indexOf(2000, cache), indexOf(2000, cache)];
    const many = Array.from({ length: 700 }, (_, i) => 10 * (i + 1));
    const all = Array.from({ length: 2000 }, (_, i) => 10 * (i + 1));
    const { asked, reader } = fakeReader({ a: many, b: many, all });
    // 10,000 bytes hold two lists of 700 rows, and none of 2,000.
    const ask = async (index: UserIndex, term: string) => (await postingsOf(reader, index, [term]))[0].rows;
    for (const term of ['a', 'b', 'a', 'b']) expect((await ask(mine, term)).length).toBe(700);
    expect(asked.splice(0)).toEqual(['a', 'b']);
    expect((await ask(yours, 'a')).length).toBe(700);
    for (const term of ['b', 'a']) await ask(mine, term);
    expect(asked.splice(0)).toEqual(['a', 'b', 'a']);
    for (const term of ['all', 'all']) expect((await ask(mine, term)).length).toBe(2000);
    expect(asked).toEqual(['all', 'all']);
    expect(cache.bytes).toBeLessThanOrEqual(10_000);
  });
});
