import { addressOfMemory } from '../views/memory-row.tsx';
import { addressOfGraph, type GraphNode, keyOf } from './graph-data.ts';

/** The graph around a node. */
export const aroundOf = (node: Pick<GraphNode, 'kind' | 'id'>) => addressOfGraph({ around: keyOf(node) });

/** The page of a memory; of what has no page, the graph around it. */
export const addressOfNode = (node: Pick<GraphNode, 'kind' | 'id'>) =>
  node.kind === 'memory' ? addressOfMemory(node.id) : aroundOf(node);
