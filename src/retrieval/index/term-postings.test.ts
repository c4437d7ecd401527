import { describe, expect, it } from 'vitest';
import type { IndexReader, Postings } from '../ports.ts';
import { postingsOf } from './term-postings.ts';
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

const docsOf = (found: readonly Postings[]) => found.map(({ docs }) => docs);

describe('postings held beside an index', () => {
  it('are read once, in the order asked for', async () => {
    const index = new UserIndex({ epoch: 1, space: 1 });
    const { asked, reader } = fakeReader({ tea: [1, 3], milk: [2] });
    expect(docsOf(await postingsOf(reader, index, ['tea', 'milk']))).toEqual([[1, 3], [2]]);
    expect(docsOf(await postingsOf(reader, index, ['milk', 'sugar', 'tea']))).toEqual([[2], [], [1, 3]]);
    expect(asked).toEqual(['tea', 'milk', 'sugar']);
  });

  it('are read again once the index changed, also while they were being read', async () => {
    const index = new UserIndex({ epoch: 1, space: 1 });
    const lists = { tea: [1] };
    const { reader } = fakeReader(lists, () => {
      if (index.rev === 0) index.apply([], 1);
    });
    expect(docsOf(await postingsOf(reader, index, ['tea']))).toEqual([[1]]);
    lists.tea.push(2);
    expect(docsOf(await postingsOf(reader, index, ['tea']))).toEqual([[1, 2]]);
    lists.tea.push(3);
    expect(docsOf(await postingsOf(reader, index, ['tea']))).toEqual([[1, 2]]);
    index.apply([], 2);
    expect(docsOf(await postingsOf(reader, index, ['tea']))).toEqual([[1, 2, 3]]);
  });

  it('are bounded', async () => {
    const index = new UserIndex({ epoch: 1, space: 1 });
    const many = Array.from({ length: 7000 }, (_, doc) => doc);
    const { asked, reader } = fakeReader({ a: many, b: many, c: [...many, ...many] });
    for (const term of ['a', 'a', 'b', 'a', 'c', 'c']) await postingsOf(reader, index, [term]);
    expect(asked).toEqual(['a', 'b', 'a', 'c', 'c']);
  });
});
