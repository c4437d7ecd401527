import { describe, expect, it } from 'vitest';
import {
  addressOfGraph,
  daysOf,
  fadedNodes,
  type Graph,
  holdsAt,
  labelledNodes,
  labelOf,
} from './graph-data.ts';

const node = (id: string, distance = 1) =>
  ({ kind: 'memory', id, name: `memory ${id}`, distance, hidden: 0 }) as const;
const edge = (from: string, to: string, validFrom?: string, validTo?: string) => ({
  type: 'FOLLOWS',
  from: `memory:${from}`,
  to: `memory:${to}`,
  confidence: 1,
  validFrom,
  validTo,
});
const graph: Graph = {
  nodes: [node('a', 0), node('b'), node('c')],
  edges: [
    edge('a', 'b', '2026-01-01T10:00:00Z', '2026-02-01T10:00:00Z'),
    edge('a', 'c', '2026-01-15T10:00:00Z'),
  ],
  hiddenEdges: 0,
};
const at = (iso: string) => Date.parse(iso);

describe('the data of a graph', () => {
  it('an edge holds from its begin to before its end, and always where it has none', () => {
    const [first] = graph.edges;
    expect(first && holdsAt(first, at('2026-01-01T10:00:00Z'))).toBe(true);
    expect(first && holdsAt(first, at('2026-02-01T10:00:00Z'))).toBe(false);
    expect(first && holdsAt(first, undefined)).toBe(true);
    expect(holdsAt({}, 0)).toBe(true);
  });

  it('days reach from the first begin to behind the last change, and are none without a time between', () => {
    expect(daysOf(graph)).toEqual({ first: at('2026-01-01'), last: at('2026-02-02') });
    expect(daysOf({ ...graph, edges: [edge('a', 'b', '2026-01-01T10:00:00Z')] })).toBeUndefined();
    expect(daysOf({ ...graph, edges: [] })).toBeUndefined();
  });

  it('nodes fade when no edge of theirs holds; the centre never does', () => {
    expect([...fadedNodes(graph, at('2026-02-10'))]).toEqual(['memory:b']);
    expect([...fadedNodes(graph, at('2025-01-01'))]).toEqual(['memory:b', 'memory:c']);
    expect([...fadedNodes(graph, undefined)]).toEqual([]);
  });

  it('a label is one short line in which nothing is hidden', () => {
    expect(labelOf('a\nb  c')).toBe('a b c');
    expect(labelOf('x\u202ey')).toBe('xU+202Ey');
    expect([...labelOf('é'.repeat(100))]).toHaveLength(28);
  });

  it('of many nodes those with the most edges are labelled, the centre always', () => {
    const nodes = [node('a', 0), ...Array.from({ length: 60 }, (_, i) => node(`n${i}`))];
    const edges = [edge('n7', 'n8'), edge('n7', 'n9')];
    const labelled = labelledNodes({ nodes, edges, hiddenEdges: 0 });
    expect(labelled.size).toBe(40);
    expect([...labelled].slice(0, 2)).toEqual(['memory:a', 'memory:n7']);
  });

  it('an address holds what is set', () => {
    expect(addressOfGraph({ around: 'topic:a b', depth: undefined })).toBe('/ui/graph?around=topic%3Aa+b');
    expect(addressOfGraph({})).toBe('/ui/graph');
  });
});
