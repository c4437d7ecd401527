import { randomUUID } from 'node:crypto';
import type { Memory } from '../memories/memory.ts';
import { AppError } from '../shared/errors.ts';
import type { Write } from '../shared/write.ts';
import type { ComparedPair, FinderMethod, FoundRelationship, KnownRelationship } from './found-edge.ts';
import { makeNearest } from './nearest-edges.ts';
import { reconcileRelationships } from './reconcile-edges.ts';
import { refreshStates } from './refresh-states.ts';
import type { Relationship } from './relationship.ts';
import { supersessionPath } from './supersession-path.ts';

/** Edges of one memory that are compared with what was found, at each end. */
export const knownAroundMax = 1000;

/** What a version of a memory was compared with. */
export interface ComparedVersion {
  readonly memory: Memory;
  readonly pairs: readonly ComparedPair[];
}

/**
 * Makes, keeps and takes away automatic edges of memories by what their texts were found to say, and notes candidates.
 * Pairs of which a text was changed since are left to the work for the version that changed it.
 */
export async function writeFoundRelationships(
  write: Write,
  compared: readonly ComparedVersion[],
): Promise<void> {
  const changed = new Set<string>();
  for (const version of compared) await writeOne(write, version, changed);
  await refreshStates(write, changed);
}

async function writeOne(
  write: Write,
  { memory, pairs }: ComparedVersion,
  changed: Set<string>,
): Promise<void> {
  const { tx, at } = write;
  const ids = [memory.id, ...pairs.map(({ otherId }) => otherId)];
  const docs = await tx.foundRelationships.openDocs(ids);
  if (docs.get(memory.id) !== memory.doc) return;
  const current = pairs.filter(({ otherId, otherDoc }) => docs.get(otherId) === otherDoc);
  const known = await tx.foundRelationships.knownAround(memory.id, knownAroundMax);
  const { made, renewed, withdrawn, candidates } = reconcileRelationships(current, known);
  const unshown = await noLongerShown(write, memory, known);
  const withdraw = async (edge: KnownRelationship) => {
    await tx.foundRelationships.withdraw(edge.id, at);
    changed.add(edge.targetMemoryId);
  };
  for (const edge of [...withdrawn, ...unshown]) await withdraw(edge);
  for (const { edge, found } of renewed) await tx.foundRelationships.renew(edge.id, found);
  const all = current.flatMap(({ found }) => found ?? []);
  const nearest = await makeNearest(write, all, made, async (found) => {
    if (await closesCircle(write, found)) return false;
    await insertFound(write, found);
    // Which an LLM may have proposed.
    await tx.foundRelationships.removeCandidate(found);
    changed.add(found.targetMemoryId);
    return true;
  });
  for (const edge of nearest.redundant) await withdraw(edge);
  const others = current.map(({ otherId, otherDoc }) => ({ id: otherId, doc: otherDoc }));
  await tx.foundRelationships.replaceCandidates(memory, others, [...candidates, ...nearest.refused], at);
}

/** Edges made of what an LLM proposed whose words the memory no longer has: no rule compares them. */
async function noLongerShown(
  { tx }: Write,
  memory: Memory,
  known: readonly KnownRelationship[],
): Promise<KnownRelationship[]> {
  const gone: KnownRelationship[] = [];
  for (const edge of known) {
    if (!edge.isActive || edge.creationMethod !== 'auto-llm' || !edge.evidence) continue;
    const place = edge.sourceMemoryId === memory.id ? edge.evidence.later : edge.evidence.earlier;
    const [words] = await tx.foundRelationships.textsAt([place]);
    if (words !== undefined && !memory.content.includes(words)) gone.push(edge);
  }
  return gone;
}

/** Makes an edge of what was found; states are left to the caller. */
export async function insertFound(
  { tx, at }: Write,
  { sourceMemoryId, targetMemoryId, type, confidence, reason, evidence }: FoundRelationship,
  creationMethod: FinderMethod = 'auto-semantic',
): Promise<Relationship> {
  const relationship: Relationship = {
    id: randomUUID(),
    sourceMemoryId,
    targetMemoryId,
    type,
    confidence,
    reason,
    evidence,
    creationMethod,
    createdAt: at,
  };
  await tx.relationships.insert(relationship);
  return relationship;
}

/** Whether the source would supersede itself, or nobody can say because too many supersede each other around the two. */
export async function closesCircle({ tx }: Write, found: FoundRelationship): Promise<boolean> {
  if (found.type !== 'SUPERSEDES') return false;
  try {
    return (
      (await supersessionPath(tx.relationships, found.targetMemoryId, found.sourceMemoryId)) !== undefined
    );
  } catch (error) {
    // What a person is refused with a 409 is not done without asking either: it stays a candidate.
    if (error instanceof AppError && error.code === 'RELATIONSHIPS_TOO_MANY') return true;
    throw error;
  }
}
