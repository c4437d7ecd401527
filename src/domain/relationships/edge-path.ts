import type { Relationship } from './relationship.ts';

/** Edges from one memory to another at most. */
export const pathLengthMax = 4;
/** Memories looked at. */
const visitedMax = 1000;

export interface EdgesReader {
  /** Live edges that start or end at one of these memories, in no order, at most `limit`. */
  listTouching(memoryIds: readonly string[], limit: number): Promise<Relationship[]>;
}

/**
 * The shortest way from one memory to another over edges of any direction, in order; undefined where there is none of at
 * most 4 edges among the first 1,000 memories around.
 */
export async function relationshipPath(
  reader: EdgesReader,
  fromId: string,
  toId: string,
): Promise<Relationship[] | undefined> {
  const cameBy = new Map<string, { readonly from: string; readonly edge: Relationship } | undefined>([
    [fromId, undefined],
  ]);
  let frontier: string[] = [fromId];
  for (let length = 0; length < pathLengthMax && frontier.length > 0; length++) {
    const edges = await reader.listTouching(frontier, visitedMax);
    const here = new Set(frontier);
    frontier = [];
    for (const edge of edges)
      for (const [from, to] of [
        [edge.sourceMemoryId, edge.targetMemoryId],
        [edge.targetMemoryId, edge.sourceMemoryId],
      ] as const) {
        if (!here.has(from) || cameBy.has(to)) continue;
        cameBy.set(to, { from, edge });
        if (to === toId) return wayBack(cameBy, toId);
        frontier.push(to);
      }
    if (cameBy.size > visitedMax) return undefined;
  }
  return undefined;
}

function wayBack(
  cameBy: ReadonlyMap<string, { readonly from: string; readonly edge: Relationship } | undefined>,
  toId: string,
): Relationship[] {
  const way: Relationship[] = [];
  for (let step = cameBy.get(toId); step; step = cameBy.get(step.from)) way.push(step.edge);
  return way.reverse();
}
