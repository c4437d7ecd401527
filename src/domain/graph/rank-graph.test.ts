import { describe, expect, it } from 'vitest';
import { type Arc, personalisedPageRank } from './rank-graph.ts';

const both = (...pairs: readonly (readonly [number, number])[]): Arc[] =>
  pairs.flatMap(([from, to]) => [
    { from, to, weight: 1 },
    { from: to, to: from, weight: 1 },
  ]);

describe('Personalised PageRank', () => {
  it('Personalised PageRank ranks what is near the seeds first, and adds up to 1', () => {
    const arcs = both([0, 1], [1, 2], [2, 3]);
    const { scores } = personalisedPageRank({ nodes: 5, arcs, knownShares: new Map() }, new Map([[0, 2]]));
    expect([...scores].reduce((sum, score) => sum + score, 0)).toBeCloseTo(1, 9);
    expect([0, 1, 2, 3, 4].sort((a, b) => scores[b] - scores[a])).toEqual([0, 1, 2, 3, 4]);
    expect(scores[4]).toBe(0);
  });

  it('Personalised PageRank of two nodes is what the equations give', () => {
    const { scores, flows } = personalisedPageRank(
      { nodes: 2, arcs: both([0, 1]), knownShares: new Map() },
      new Map([[0, 1]]),
    );
    // x = 1/2 + y/2, y = x/2
    expect(scores[0]).toBeCloseTo(2 / 3, 6);
    expect(scores[1]).toBeCloseTo(1 / 3, 6);
    expect(flows[0]).toBeCloseTo(1 / 3, 6);
  });

  it('a node of which not all arcs are known gives each of them its true share', () => {
    const arcs = both([0, 1], [1, 2]);
    const whole = personalisedPageRank({ nodes: 3, arcs, knownShares: new Map() }, new Map([[0, 1]]));
    const hub = personalisedPageRank(
      { nodes: 3, arcs, knownShares: new Map([[1, 0.01]]) },
      new Map([[0, 1]]),
    );
    expect(hub.scores[2]).toBeLessThan(whole.scores[2] / 20);
  });
});
