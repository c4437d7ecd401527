import { describe, expect, it } from 'vitest';
import { randomFrom } from '../../../test/support/random.ts';
import type { Supersession } from './relationship.ts';
import { supersessionPath, visitedMax } from './relationship-paths.ts';

function readerOf(edges: readonly Supersession[]) {
  const reader = {
    asked: 0,
    supersessions: async (ids: readonly string[], direction: 'outgoing' | 'incoming', limit: number) => {
      reader.asked += 1;
      const end = direction === 'outgoing' ? 'sourceId' : 'targetId';
      const requested = new Set(ids);
      return edges.filter((edge) => requested.has(edge[end])).slice(0, limit);
    },
  };
  return reader;
}

/** `prefix`0 supersedes `prefix`1 supersedes … */
const chain = (length: number, prefix = 'n') =>
  Array.from({ length: length - 1 }, (_, i) => ({
    sourceId: `${prefix}${i}`,
    targetId: `${prefix}${i + 1}`,
  }));

describe('supersessionPath', () => {
  it('a path of supersessions is named with both its ends, and none where there is none', async () => {
    const reader = readerOf(chain(6));
    expect(await supersessionPath(reader, 'n1', 'n4')).toEqual(['n1', 'n2', 'n3', 'n4']);
    expect(await supersessionPath(reader, 'n1', 'n2')).toEqual(['n1', 'n2']);
    expect(await supersessionPath(reader, 'n4', 'n1')).toBeUndefined();
    expect(await supersessionPath(reader, 'n0', 'stranger')).toBeUndefined();
  });

  it('the search for a path of supersessions agrees with reachability in graphs of all kinds, circles included', async () => {
    const random = randomFrom(7);
    let found = 0;
    for (let round = 0; round < 300; round++) {
      const size = random.int(2, 10);
      const node = () => `n${random.int(0, size - 1)}`;
      const edges = Array.from({ length: random.int(0, 2 * size) }, () => ({
        sourceId: node(),
        targetId: node(),
      }));
      const reached = new Set(['n0']);
      for (let before = 0; before < reached.size; ) {
        before = reached.size;
        for (const { sourceId, targetId } of edges) if (reached.has(sourceId)) reached.add(targetId);
      }
      const path = await supersessionPath(readerOf(edges), 'n0', 'n1');
      expect(path !== undefined, JSON.stringify(edges)).toBe(reached.has('n1'));
      if (!path) continue;
      found += 1;
      expect([path[0], path.at(-1), new Set(path).size]).toEqual(['n0', 'n1', path.length]);
      for (const [i, targetId] of path.slice(1).entries())
        expect(edges).toContainEqual({ sourceId: path[i], targetId });
    }
    expect(found).toBeGreaterThan(30);
  });

  it('the search for a path of supersessions is quick for the newest of a chain, however long', async () => {
    const reader = readerOf([...chain(2 * visitedMax), ...chain(2 * visitedMax, 'm')]);
    expect(await supersessionPath(reader, 'n0', 'm0')).toBeUndefined();
    expect(reader.asked).toBe(1);
    expect(await supersessionPath(reader, `n${2 * visitedMax - 1}`, 'm7')).toBeUndefined();
    expect(reader.asked).toBeLessThan(5);
  });

  it('the search for a path of supersessions gives up, rather than say no, beyond the number of edges it may read', async () => {
    const star = Array.from({ length: visitedMax + 1 }, (_, i) => [
      { sourceId: 'hub', targetId: `t${i}` },
      { sourceId: `s${i}`, targetId: 'rim' },
    ]).flat();
    await expect(supersessionPath(readerOf(star), 'hub', 'rim')).rejects.toMatchObject({
      code: 'RELATIONSHIPS_TOO_MANY',
    });
  });
});
