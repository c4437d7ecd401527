import type { RelationshipReader } from './relationship-store.ts';

/** Memories looked at on the way; longer chains than any that people make. */
const visitedMax = 10_000;

/**
 * The shortest way from one memory to another along "supersedes", both included; undefined where there is none.
 * Breadth first, each memory once.
 */
export async function supersessionPath(
  relationships: RelationshipReader,
  fromId: string,
  toId: string,
): Promise<readonly string[] | undefined> {
  const cameFrom = new Map<string, string | undefined>([[fromId, undefined]]);
  let frontier = [fromId];
  while (frontier.length > 0 && cameFrom.size < visitedMax) {
    const next: string[] = [];
    for (const { sourceId, targetId } of await relationships.supersededBy(frontier)) {
      if (cameFrom.has(targetId)) continue;
      cameFrom.set(targetId, sourceId);
      if (targetId === toId) return wayBack(cameFrom, toId);
      next.push(targetId);
    }
    frontier = next;
  }
  return undefined;
}

function wayBack(cameFrom: ReadonlyMap<string, string | undefined>, toId: string): string[] {
  const path: string[] = [];
  for (let id: string | undefined = toId; id !== undefined; id = cameFrom.get(id)) path.unshift(id);
  return path;
}
