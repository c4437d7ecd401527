import { AppError } from '../shared/errors.ts';
import type { RelationshipReader } from './relationship-store.ts';

/** Memories looked at before a walk is given up: about a second of statements, for which other writes wait. */
export const visitedMax = 5_000;

/** The memories reached from one end of the way looked for, each with the one that it was reached from. */
interface Side {
  readonly direction: 'outgoing' | 'incoming';
  readonly cameFrom: Map<string, string | undefined>;
  frontier: readonly string[];
}

type Reader = Pick<RelationshipReader, 'supersessions'>;

/**
 * A way from one memory to another along "supersedes", both included; undefined where there is none. It goes through
 * memories in the trash too, for they may come back.
 * Both ends are walked from, in turns: the newest of a chain, however long, is known at once to be superseded by none.
 * @throws 409 RELATIONSHIPS_TOO_MANY where neither end is done within `visitedMax` memories
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

/** Goes one edge further on one side. @returns a memory that both sides have reached */
async function step(reader: Reader, side: Side, other: Side): Promise<string | undefined> {
  const edges = await reader.supersessions(side.frontier, side.direction, visitedMax);
  if (edges.length === visitedMax) throw tooMany();
  const next: string[] = [];
  for (const { sourceId, targetId } of edges) {
    const [here, there] = side.direction === 'outgoing' ? [sourceId, targetId] : [targetId, sourceId];
    if (side.cameFrom.has(there)) continue;
    side.cameFrom.set(there, here);
    if (other.cameFrom.has(there)) return there;
    next.push(there);
  }
  side.frontier = next;
  return undefined;
}

/** From `id` to the end that the side began at. */
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
