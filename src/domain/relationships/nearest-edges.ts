import { chunksOf } from '../../lib/chunks.ts';
import { isBefore, type Memory } from '../memories/memory.ts';
import type { Write } from '../shared/write.ts';
import { automaticConfidenceMin, type FoundRelationship, type KnownRelationship } from './found-edge.ts';

export interface NearestMade {
  /** Active automatic edges that follow from an edge of an earlier memory. */
  readonly redundant: readonly KnownRelationship[];
  readonly refused: readonly FoundRelationship[];
}

type Edge = FoundRelationship | KnownRelationship;

/**
 * One automatic edge of a type points to each statement of a memory: from the first memory after it that replaces, repeats,
 * contradicts, resolves or names it. The later ones do so to that memory, so that many that say the like are a chain, not
 * each joined with each. A statement that a person took out of such a chain stays out of it.
 * @param found all that was found, of which `made` has no edge yet
 * @param make false if an edge may not be made
 */
export async function makeNearest(
  { tx }: Write,
  found: readonly FoundRelationship[],
  made: readonly FoundRelationship[],
  make: (edge: FoundRelationship) => Promise<boolean>,
): Promise<NearestMade> {
  const acting = found.filter(({ confidence }) => confidence >= automaticConfidenceMin);
  const known: KnownRelationship[] = [];
  for (const chunk of chunksOf([...new Set(acting.map(({ targetMemoryId }) => targetMemoryId))]))
    known.push(...(await tx.foundRelationships.knownInto(chunk)));
  const sources = new Map<string, Memory>();
  for (const chunk of chunksOf([...new Set([...known, ...made].map((edge) => edge.sourceMemoryId))]))
    for (const memory of await tx.memories.findMany(chunk)) sources.set(memory.id, memory);
  const isEarlier = (a: Edge, b: Edge) => {
    const [one, other] = [sources.get(a.sourceMemoryId), sources.get(b.sourceMemoryId)];
    return one !== undefined && other !== undefined && isBefore(one, other);
  };
  const active: Edge[] = known.filter((edge) => edge.isActive && sources.has(edge.sourceMemoryId));
  const deleted = known.filter(
    (edge) =>
      !edge.isActive &&
      !edge.isWithdrawn &&
      sources.get(edge.sourceMemoryId)?.effectiveState === 'superseded',
  );
  const refused: FoundRelationship[] = [];
  for (const edge of made.toSorted((a, b) => (isEarlier(a, b) ? -1 : 1))) {
    const follows = (other: Edge) => isOfSameStatement(other, edge) && isEarlier(other, edge);
    if (active.some(follows)) continue;
    if (deleted.some(follows) || !(await make(edge))) refused.push(edge);
    else active.push(edge);
  }
  const redundant = known.filter(
    (edge) =>
      edge.isActive &&
      isAutomatic(edge) &&
      active.some((other) => isOfSameStatement(other, edge) && isEarlier(other, edge)),
  );
  return { redundant, refused };
}

/** Made by derivation, and not by somebody who confirmed a candidate. */
const isAutomatic = ({ creationMethod, confidence }: KnownRelationship) =>
  creationMethod === 'auto-semantic' && confidence >= automaticConfidenceMin;

/** Whether both edges are of one type and point to the same words of one memory; an edge that was stated points to all of them. */
function isOfSameStatement(a: Edge, b: Edge): boolean {
  if (a.targetMemoryId !== b.targetMemoryId || a.type !== b.type) return false;
  if (!a.evidence || !b.evidence) return true;
  const [, startA, endA] = a.evidence.earlier;
  const [, startB, endB] = b.evidence.earlier;
  return startA < endB && startB < endA;
}
