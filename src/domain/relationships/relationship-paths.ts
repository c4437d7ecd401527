import { AppError } from '../shared/errors.ts';
import type { Relationship, RelationshipReader } from './relationship.ts';

/** A search gives up after this many memories: about a second of statements, for which other writes wait. */
export const visitedMax = 5_000;

/** Memories reached from one end, each with its predecessor. */
interface Side {
  readonly direction: 'outgoing' | 'incoming';
  readonly cameFrom: Map<string, string | undefined>;
  frontier: readonly string[];
}

type Reader = Pick<RelationshipReader, 'supersessions'>;

/**
 * Path from one memory to another along "supersedes", both included; undefined if there is none. Memories in the trash
 * count, since they may be restored. Searches from both ends, so that the newest of a long chain, which nothing
 * supersedes, is decided at once.
 * @throws 409 RELATIONSHIPS_TOO_MANY if more than `visitedMax` memories were visited
 */
export async function supersessionPath(
  reader: Reader,
  fromId: string,
  toId: string,
): Promise<readonly string[] | undefined> {
  const ahead = newSide(fromId, 'outgoing');
  const behind = newSide(toId, 'incoming');
  while (ahead.frontier.length > 0 && behind.frontier.length > 0) {
    const [side, other] = ahead.cameFrom.size < behind.cameFrom.size ? [ahead, behind] : [behind, ahead];
    const met = await step(reader, side, other);
    if (met !== undefined) return [...wayBack(ahead, met).reverse(), ...wayBack(behind, met).slice(1)];
    if (ahead.cameFrom.size + behind.cameFrom.size > visitedMax) throw tooMany();
  }
  return undefined;
}

function newSide(id: string, direction: Side['direction']): Side {
  return { direction, cameFrom: new Map([[id, undefined]]), frontier: [id] };
}

/** Extends one side by one step. @returns a memory that both sides have reached */
async function step(reader: Reader, side: Side, other: Side): Promise<string | undefined> {
  const found = await reader.supersessions(side.frontier, side.direction, visitedMax);
  if (found.length === visitedMax) throw tooMany();
  const next: string[] = [];
  for (const { sourceId, targetId } of found) {
    const [here, there] = side.direction === 'outgoing' ? [sourceId, targetId] : [targetId, sourceId];
    if (side.cameFrom.has(there)) continue;
    side.cameFrom.set(there, here);
    if (other.cameFrom.has(there)) return there;
    next.push(there);
  }
  side.frontier = next;
  return undefined;
}

/** From `id` back to the start of the side. */
function wayBack({ cameFrom }: Side, id: string): string[] {
  const way: string[] = [];
  for (let at: string | undefined = id; at !== undefined; at = cameFrom.get(at)) way.push(at);
  return way;
}

function tooMany(): AppError {
  return new AppError(
    'RELATIONSHIPS_TOO_MANY',
    `More than ${visitedMax.toLocaleString('en')} memories supersede each other around these two.`,
  );
}

const pathLengthMax = 4;
const pathVisitedMax = 1000;

/** Reached memories, each with its predecessor and the relationship to it. */
type CameBy = Map<string, { readonly from: string; readonly relationship: Relationship } | undefined>;

/**
 * Shortest path between two memories over live relationships of any direction; undefined if there is none of at most
 * `pathLengthMax` among the first `pathVisitedMax` memories visited.
 */
export async function relationshipPath(
  reader: Pick<RelationshipReader, 'listTouching'>,
  fromId: string,
  toId: string,
): Promise<Relationship[] | undefined> {
  const cameBy: CameBy = new Map([[fromId, undefined]]);
  let frontier: string[] = [fromId];
  for (let length = 0; length < pathLengthMax && frontier.length > 0; length++) {
    const found = await reader.listTouching(frontier, pathVisitedMax);
    const here = new Set(frontier);
    frontier = [];
    for (const relationship of found) {
      const { sourceMemoryId, targetMemoryId } = relationship;
      for (const [from, to] of [
        [sourceMemoryId, targetMemoryId],
        [targetMemoryId, sourceMemoryId],
      ]) {
        if (!here.has(from) || cameBy.has(to)) continue;
        cameBy.set(to, { from, relationship });
        if (to === toId) return relationshipsBack(cameBy, toId);
        frontier.push(to);
      }
    }
    if (cameBy.size > pathVisitedMax) return undefined;
  }
  return undefined;
}

function relationshipsBack(cameBy: CameBy, toId: string): Relationship[] {
  const way: Relationship[] = [];
  for (let step = cameBy.get(toId); step; step = cameBy.get(step.from)) way.push(step.relationship);
  return way.reverse();
}
