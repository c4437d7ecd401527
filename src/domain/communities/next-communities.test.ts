import { describe, expect, it } from 'vitest';
import type { StoredCommunity } from './community.ts';
import { nextCommunities, withoutMerge } from './next-communities.ts';

const topicsOf = (letters: string) => new Map([...letters].map((letter) => [letter, 1]));
const stored = (id: string, letters: string, more: Partial<StoredCommunity> = {}): StoredCommunity => ({
  id,
  mergedInto: null,
  isCurrent: true,
  algorithm: 'louvain',
  createdAt: 1,
  updatedAt: 1,
  topics: topicsOf(letters),
  ...more,
});
const detect = (before: readonly StoredCommunity[], ...groups: readonly string[]) =>
  nextCommunities(before, { algorithm: 'louvain', at: 9, groups: groups.map(topicsOf) });
const shape = ({ id, topics, isCurrent }: StoredCommunity) => [id, [...topics.keys()].join(''), isCurrent];

describe('communities after a detection', () => {
  it('a community goes on as the one that it overlaps most, each once', async () => {
    const after = await detect([stored('a', 'abcd'), stored('x', 'xyz')], 'abc', 'dxyz', 'mn');
    expect(after.slice(0, 2).map(shape)).toEqual([
      ['a', 'abc', true],
      ['x', 'dxyz', true],
    ]);
    expect(after[2]?.id).not.toMatch(/^[ax]$/);
    expect(after.map(({ createdAt, updatedAt }) => [createdAt, updatedAt])).toEqual([
      [1, 9],
      [1, 9],
      [9, 9],
    ]);
  });

  it('a community that splits goes on as its larger part, and one that is gone is gone', async () => {
    const after = await detect([stored('a', 'abcde'), stored('x', 'xyz')], 'abc', 'de');
    expect(after.map(({ id }) => id)).toEqual(['a', expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  });

  it('a community of the same topics was not updated', async () => {
    expect((await detect([stored('a', 'abc')], 'abc'))[0]?.updatedAt).toBe(1);
  });

  it('what a merge names is known until it is found again', async () => {
    const merged = [stored('a', 'abcd'), stored('x', 'xyz', { mergedInto: 'a' })];
    const one = await detect(merged, 'abcdxyz');
    expect(one.map(shape)).toEqual([
      ['a', 'abcdxyz', true],
      ['x', 'xyz', false],
    ]);
    const apart = await detect(one, 'abcd', 'xyz');
    expect(apart.map(shape)).toEqual([
      ['a', 'abcd', true],
      ['x', 'xyz', true],
    ]);
    expect(apart[1]?.mergedInto).toBe('a');
  });

  it('a merge that is undone gives back the topics of one that was not found again', async () => {
    const one = await detect([stored('a', 'abcd'), stored('x', 'xyz', { mergedInto: 'a' })], 'abcdxyz');
    expect(withoutMerge(one, 'x').map(shape)).toEqual([
      ['a', 'abcd', true],
      ['x', 'xyz', true],
    ]);
  });
});
