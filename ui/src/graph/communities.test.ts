import { describe, expect, it } from 'vitest';
import { graphOfCommunities, graphOfCommunity } from './communities.ts';

const community = (id: string, topicCount: number) => ({ id, name: `about ${id}`, topicCount });

describe('communities as a graph', () => {
  it('communities are nodes sized by their topics, the first one the centre, which says how many are not shown', () => {
    const { nodes, edges } = graphOfCommunities([community('a', 9), community('b', 4)], 12);
    expect(nodes.map(({ id, size, distance, hidden }) => [id, size, distance, hidden])).toEqual([
      ['a', 9, 0, 10],
      ['b', 4, 1, 0],
    ]);
    expect(edges).toEqual([]);
    expect(graphOfCommunities([], 0).nodes).toEqual([]);
  });

  it('a community is the centre of its strongest topics', () => {
    const topics = ['x', 'y', 'z'].map((id) => ({ id, name: `topic ${id}` }));
    const { nodes, edges } = graphOfCommunity({ ...community('a', 3), topics }, 3);
    expect(nodes.map(({ kind, id, hidden }) => [kind, id, hidden])).toEqual([
      ['community', 'a', 1],
      ['topic', 'x', 0],
      ['topic', 'y', 0],
    ]);
    expect(edges.map(({ from, to }) => [from, to])).toEqual([
      ['community:a', 'topic:x'],
      ['community:a', 'topic:y'],
    ]);
  });
});
