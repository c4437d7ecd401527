import { describe, expect, it } from 'vitest';
import { graphBounds, runGraphTask } from './graph-tasks.ts';
import { buildTopicGraph, type TopicAssignments } from './topic-graph.ts';

/** Topics of memories, one letter each. */
function assignmentsOf(...memories: readonly string[]): TopicAssignments {
  const rows = memories.flatMap((topics, memory) => [...topics].map((topic) => ({ topic, memory })));
  return {
    topicCount: 26,
    topics: Uint32Array.from(rows, ({ topic }) => topic.charCodeAt(0) - 97),
    memories: Uint32Array.from(rows, ({ memory }) => memory),
  };
}
const letters = (topics: Iterable<number>) => [...topics].map((topic) => String.fromCharCode(97 + topic));

describe('work over graphs of topics', () => {
  it('a graph of topics has an edge for each pair on a memory, with its strength', () => {
    const graph = buildTopicGraph(assignmentsOf('ab', 'ab', 'bc', 'd'), graphBounds);
    expect(letters(graph.nodes)).toEqual(['a', 'b', 'c', 'd']);
    expect([...graph.counts]).toEqual([2, 3, 1, 1]);
    expect([...graph.shared]).toEqual([2, 1]);
    expect(graph.strength[0]).toBeCloseTo((2 / Math.sqrt(6)) * (2 / 3), 9);
    expect(graph.strength[1]).toBeCloseTo((1 / Math.sqrt(3)) * (1 / 2), 9);
    expect(graph.omitted).toEqual({ topics: 0, edges: 0, pairs: 0 });
  });

  it('a graph of topics says what its bounds cut off', () => {
    const assignments = assignmentsOf('ab', 'ab', 'bc', 'cd', 'ad');
    const few = buildTopicGraph(assignments, { topicsMax: 3, edgesMax: 1, pairsMax: 100 });
    expect(letters(few.nodes)).toEqual(['a', 'b', 'c']);
    expect([letters(few.from), letters(few.to)]).toEqual([['a'], ['b']]);
    expect(few.omitted).toEqual({ topics: 1, edges: 1, pairs: 0 });
    const { omitted } = buildTopicGraph(assignments, { ...graphBounds, pairsMax: 3 });
    expect(omitted.pairs).toBe(2);
  });

  it.each(['louvain', 'label-propagation'] as const)('%s finds the same for the same topics', (algorithm) => {
    const run = () =>
      runGraphTask('communities', {
        assignments: assignmentsOf('abc', 'abc', 'xyz', 'xyz', 'cx'),
        algorithm,
      });
    const groups = run().groups.map(({ topics }) => letters(topics).sort().join(''));
    expect(groups).toEqual(['abc', 'xyz']);
    expect(run()).toEqual(run());
  });

  it('topics without any other on their memories are in no community and no cluster', () => {
    const assignments = assignmentsOf('a', 'b', '');
    expect(runGraphTask('communities', { assignments, algorithm: 'louvain' }).groups).toEqual([]);
    expect(runGraphTask('clusters', { assignments, sizeMin: 2 }).clusters).toEqual([]);
  });

  it('clusters are joined by the average of their pairs', () => {
    // a and b are always together; c is with them half of the time: the average similarity with both decides.
    const assignments = assignmentsOf('ab', 'ab', 'abc', 'abc', 'd', 'e');
    const { clusters } = runGraphTask('clusters', { assignments, sizeMin: 2 });
    expect(clusters.map(({ topics }) => letters(topics))).toEqual([['a', 'b', 'c']]);
    expect(clusters[0]?.memoryCount).toBe(4);
    expect(clusters[0]?.cohesion).toBeCloseTo((1 + 0.5 + 0.5) / 3, 9);
    expect(runGraphTask('clusters', { assignments, sizeMin: 4 }).clusters).toEqual([]);
  });
});
