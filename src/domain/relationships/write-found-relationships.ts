import { randomUUID } from 'node:crypto';
import { chunksOf } from '../../lib/collections.ts';
import { isBefore, type Memory } from '../memories/memory.ts';
import { AppError } from '../shared/errors.ts';
import type { UserWriters } from '../shared/stores.ts';
import type { Write } from '../shared/write.ts';
import {
  automaticConfidenceMin,
  type ComparedPair,
  type FoundRelationship,
  isDecided,
  isSameRelationship,
  type KnownRelationship,
} from './found-relationship.ts';
import type { CreationMethod, Relationship } from './relationship.ts';
import { supersessionPath } from './relationship-paths.ts';
import { refreshStates } from './relationship-service.ts';
import type { ProposedRelationships } from './relationship-steps.ts';

/** Known relationships read at each end of a memory, to compare them with the found ones. */
export const knownAroundMax = 1000;

interface ComparedVersion {
  readonly memory: Memory;
  readonly pairs: readonly ComparedPair[];
  /** Whether the memory had relationships or candidates when it was compared: a later one stays as it was made. */
  readonly isRelated: boolean;
}

/**
 * Creates, keeps and removes automatic relationships from compared texts, and writes
 * candidates. A pair with a text changed since is skipped: its new version is compared later.
 */
export async function writeFoundRelationships(
  write: Write,
  compared: readonly ComparedVersion[],
): Promise<void> {
  if (compared.length === 0) return;
  const { foundRelationships } = write.tx;
  const related = new Set(compared.flatMap(({ memory, isRelated }) => (isRelated ? [memory.id] : [])));
  const found = compared.flatMap(({ pairs }) => pairs.flatMap((pair) => pair.found ?? []));
  const ends = new Set(
    found.flatMap(({ sourceMemoryId, targetMemoryId }) => [sourceMemoryId, targetMemoryId]),
  );
  // For most memories nothing is found and nothing is known.
  const written = compared.filter(({ memory }) => related.has(memory.id) || ends.has(memory.id));
  if (written.length === 0) return;
  const ids = written.flatMap(({ memory, pairs }) => [memory.id, ...pairs.map(({ otherId }) => otherId)]);
  const docs = await foundRelationships.openDocs([...new Set(ids)]);
  const batch: Batch = { docs, related, changed: new Set() };
  for (const version of written) await writeOne(write, version, batch);
  await refreshStates(write, batch.changed);
}

/** Read once for all versions of a batch: writing relationships changes no text. */
interface Batch {
  /** See `FoundRelationshipReader.openDocs`. */
  readonly docs: ReadonlyMap<string, number>;
  /** Memories that may have relationships or candidates: those that had some, and those that got some by this batch. */
  readonly related: Set<string>;
  /** Memories whose state may have changed. */
  readonly changed: Set<string>;
}

async function writeOne(
  write: Write,
  { memory, pairs }: ComparedVersion,
  { docs, related, changed }: Batch,
): Promise<void> {
  const { tx, at } = write;
  if (docs.get(memory.id) !== memory.doc) return;
  const current = pairs.filter(({ otherId, otherDoc }) => docs.get(otherId) === otherDoc);
  const all = current.flatMap(({ found }) => found ?? []);
  if (all.length === 0 && !related.has(memory.id)) return;
  for (const { sourceMemoryId, targetMemoryId } of all) related.add(sourceMemoryId).add(targetMemoryId);
  const known = await tx.foundRelationships.knownAround(memory.id, knownAroundMax);
  const { made, renewed, withdrawn, candidates } = reconcileRelationships(current, known);
  const unshown = await noLongerShown(write, memory, known);
  const withdraw = async (relationship: KnownRelationship) => {
    await tx.foundRelationships.withdraw(relationship.id, at);
    changed.add(relationship.targetMemoryId);
  };
  for (const relationship of [...withdrawn, ...unshown]) await withdraw(relationship);
  for (const { relationship, found } of renewed) {
    await tx.foundRelationships.renew(relationship.id, found);
    changed.add(found.targetMemoryId);
  }
  const nearest = await makeNearest(write, all, made, async (found) => {
    if (await closesCircle(write, found)) return false;
    await insertFound(write, found);
    // An LLM may have proposed it.
    await tx.foundRelationships.removeCandidate(found);
    changed.add(found.targetMemoryId);
    return true;
  });
  for (const relationship of nearest.redundant) await withdraw(relationship);
  const others = current.map(({ otherId, otherDoc }) => ({ id: otherId, doc: otherDoc }));
  await tx.foundRelationships.replaceCandidates(memory, others, [...candidates, ...nearest.refused], at);
}

/**
 * Relationships from an LLM's proposals whose quoted words
 * the memory no longer has: no rule finds them again.
 */
async function noLongerShown(
  { tx }: Write,
  memory: Memory,
  known: readonly KnownRelationship[],
): Promise<KnownRelationship[]> {
  const gone: KnownRelationship[] = [];
  for (const relationship of known) {
    const isFromLlm = relationship.creationMethod === 'auto-llm' && relationship.acceptedAt === undefined;
    if (!relationship.isActive || !isFromLlm || !relationship.evidence) continue;
    const place =
      relationship.sourceMemoryId === memory.id ? relationship.evidence.later : relationship.evidence.earlier;
    const [words] = await tx.foundRelationships.textsAt([place]);
    if (words !== undefined && !memory.content.includes(words)) gone.push(relationship);
  }
  return gone;
}

/** Inserts a found or decided relationship; the caller updates states. */
export async function insertFound(
  { tx, at }: Write,
  found: Omit<Relationship, 'id' | 'createdAt' | 'creationMethod'>,
  creationMethod: CreationMethod = 'auto-semantic',
): Promise<Relationship> {
  const { sourceMemoryId, targetMemoryId, type, confidence, reason, evidence, acceptedAt } = found;
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
    ...(acceptedAt !== undefined && { acceptedAt }),
  };
  await tx.relationships.insert(relationship);
  return relationship;
}

/** Whether the source would supersede itself; also true if there are too many supersessions to decide. */
export async function closesCircle({ tx }: Write, found: FoundRelationship): Promise<boolean> {
  if (found.type !== 'SUPERSEDES' || found.evidence.keepsState) return false;
  try {
    return (
      (await supersessionPath(tx.relationships, found.targetMemoryId, found.sourceMemoryId)) !== undefined
    );
  } catch (error) {
    // Clients are refused with a 409 in this case, so derivation does not make it either: it stays a candidate.
    if (error instanceof AppError && error.code === 'RELATIONSHIPS_TOO_MANY') return true;
    throw error;
  }
}

interface RelationshipChanges {
  /** Active relationships whose reason, confidence or evidence changed. */
  readonly made: FoundRelationship[];
  readonly renewed: { readonly relationship: KnownRelationship; readonly found: FoundRelationship }[];
  readonly withdrawn: KnownRelationship[];
  readonly candidates: FoundRelationship[];
}

/**
 * Compares found relationships with known ones. An automatic one that was not
 * found again is withdrawn; one that a person deleted is not created again;
 * between two memories that a person has related, a found one is only a candidate.
 * @param known relationships between the memory and the others, including removed ones
 */
function reconcileRelationships(
  pairs: readonly ComparedPair[],
  known: readonly KnownRelationship[],
): RelationshipChanges {
  const changes: RelationshipChanges = { made: [], renewed: [], withdrawn: [], candidates: [] };
  for (const { otherId, found } of pairs) {
    const between = known.filter(
      ({ sourceMemoryId, targetMemoryId }) => sourceMemoryId === otherId || targetMemoryId === otherId,
    );
    for (const relationship of between)
      if (
        relationship.isActive &&
        isAutomatic(relationship) &&
        !(found && isSameRelationship(relationship, found))
      )
        changes.withdrawn.push(relationship);
    if (found) decideFound(changes, found, between);
  }
  return changes;
}

function decideFound(
  changes: RelationshipChanges,
  found: FoundRelationship,
  between: readonly KnownRelationship[],
): void {
  const same = between.filter((relationship) => isSameRelationship(relationship, found));
  const active = same.find((relationship) => relationship.isActive);
  // A decided finding stays a candidate that is not shown, so that the decision can be taken back.
  const isKept = active ? active.acceptedAt !== undefined : same.some(({ isWithdrawn }) => !isWithdrawn);
  if (isKept) {
    changes.candidates.push(found);
    return;
  }
  if (active?.creationMethod === 'auto-llm' && found.confidence >= automaticConfidenceMin) {
    changes.withdrawn.push(active);
    changes.made.push(found);
    return;
  }
  if (active) {
    if (isAutomatic(active) && !isAsFound(active, found))
      changes.renewed.push({ relationship: active, found });
    return;
  }
  const isStated = between.some((relationship) => relationship.isActive && !isAutomatic(relationship));
  if (found.confidence < automaticConfidenceMin || isStated) changes.candidates.push(found);
  else changes.made.push(found);
}

/** Made by derivation, which may withdraw it. */
const isAutomatic = ({ creationMethod, acceptedAt }: KnownRelationship) =>
  creationMethod === 'auto-semantic' && acceptedAt === undefined;

const isAsFound = (relationship: KnownRelationship, found: FoundRelationship) =>
  relationship.confidence === found.confidence &&
  relationship.reason === found.reason &&
  JSON.stringify(relationship.evidence) === JSON.stringify(found.evidence);

interface NearestMade {
  /** Active automatic ones for which there is one from an earlier memory. */
  readonly redundant: readonly KnownRelationship[];
  readonly refused: readonly FoundRelationship[];
}

type FoundOrKnown = FoundRelationship | KnownRelationship;

/**
 * Joins similar memories in a chain instead of each with each: only one automatic relationship
 * of a type points to each statement, from the first later memory that replaces, repeats,
 * contradicts, resolves or names it. A statement that a person removed from a chain stays out.
 * @param found all findings; `made` are those without a relationship yet
 * @param make returns false if the relationship may not be created
 */
async function makeNearest(
  { tx }: Write,
  found: readonly FoundRelationship[],
  made: readonly FoundRelationship[],
  make: (relationship: FoundRelationship) => Promise<boolean>,
): Promise<NearestMade> {
  const acting = found.filter(({ confidence }) => confidence >= automaticConfidenceMin);
  const known: KnownRelationship[] = [];
  for (const chunk of chunksOf([...new Set(acting.map(({ targetMemoryId }) => targetMemoryId))]))
    known.push(...(await tx.foundRelationships.knownInto(chunk)));
  const sources = new Map<string, Memory>();
  for (const chunk of chunksOf([
    ...new Set([...known, ...made].map((relationship) => relationship.sourceMemoryId)),
  ]))
    for (const memory of await tx.memories.findMany(chunk)) sources.set(memory.id, memory);
  const isEarlier = (a: FoundOrKnown, b: FoundOrKnown) => {
    const [one, other] = [sources.get(a.sourceMemoryId), sources.get(b.sourceMemoryId)];
    return one !== undefined && other !== undefined && isBefore(one, other);
  };
  const active: FoundOrKnown[] = known.filter(
    (relationship) => relationship.isActive && sources.has(relationship.sourceMemoryId),
  );
  const deleted = known.filter(
    (relationship) =>
      !relationship.isActive &&
      !relationship.isWithdrawn &&
      isOutdated(sources.get(relationship.sourceMemoryId)),
  );
  const refused: FoundRelationship[] = [];
  for (const relationship of made.toSorted((a, b) => (isEarlier(a, b) ? -1 : 1))) {
    const follows = (other: FoundOrKnown) =>
      isOfSameStatement(other, relationship) && isEarlier(other, relationship);
    if (active.some(follows)) continue;
    if (deleted.some(follows) || !(await make(relationship))) refused.push(relationship);
    else active.push(relationship);
  }
  const redundant = known.filter(
    (relationship) =>
      relationship.isActive &&
      isCertainAndAutomatic(relationship) &&
      active.some((other) => isOfSameStatement(other, relationship) && isEarlier(other, relationship)),
  );
  return { redundant, refused };
}

/** Whether a later memory replaces it, as a whole or in part. */
const isOutdated = (memory: Memory | undefined) =>
  memory?.effectiveState === 'superseded' || (memory?.outdatedParts ?? null) !== null;

/** Made by derivation, not by a person who confirmed a candidate. */
const isCertainAndAutomatic = (relationship: KnownRelationship) =>
  isAutomatic(relationship) && relationship.confidence >= automaticConfidenceMin;

/** Whether both have the same type and target words; a stated relationship targets the whole memory. */
function isOfSameStatement(a: FoundOrKnown, b: FoundOrKnown): boolean {
  if (a.targetMemoryId !== b.targetMemoryId || a.type !== b.type) return false;
  if (!a.evidence || !b.evidence) return true;
  const [, startA, endA] = a.evidence.earlier;
  const [, startB, endB] = b.evidence.earlier;
  return startA < endB && startB < endA;
}

/**
 * Makes those proposals of an LLM that act relationships, unless a person related the two memories, deleted the same or it
 * would close a circle; the others are candidates. Memories whose text changed since are skipped: the LLM is asked
 * about their new versions; other changes, such as of state, do not matter.
 */
export async function writeProposedRelationships(
  write: Write,
  results: readonly ProposedRelationships[],
): Promise<void> {
  const { tx, at } = write;
  const changed = new Set<string>();
  for (const { memory, proposed } of results) {
    if (!memory) continue;
    const now = await currentOf(tx, [memory, ...proposed.map(({ target }) => target)]);
    const source = now.get(memory.id);
    if (!source) continue;
    const known = await tx.foundRelationships.knownAround(memory.id, knownAroundMax);
    const candidates: FoundRelationship[] = [];
    for (const { target, found, isActing } of proposed) {
      if (!now.has(target.id) || isDecided(found, known)) continue;
      const isRelated = known.some((one) => one.isActive && joins(one, found));
      if (!isActing || isRelated || (await closesCircle(write, found))) candidates.push(found);
      else {
        await insertFound(write, found, 'auto-llm');
        await tx.foundRelationships.removeCandidate(found);
        changed.add(found.targetMemoryId);
      }
    }
    await tx.foundRelationships.replaceProposed(source.doc, candidates, at);
  }
  await refreshStates(write, changed);
}

type Ends = Pick<FoundRelationship, 'sourceMemoryId' | 'targetMemoryId'>;

const joins = (a: Ends, b: Ends) =>
  (a.sourceMemoryId === b.sourceMemoryId && a.targetMemoryId === b.targetMemoryId) ||
  (a.sourceMemoryId === b.targetMemoryId && a.targetMemoryId === b.sourceMemoryId);

/** Open versions that still have the same text, by id. */
async function currentOf(tx: UserWriters, asked: readonly Memory[]): Promise<Map<string, Memory>> {
  const texts = new Map(asked.map(({ id, content }) => [id, content]));
  const current = await tx.memories.findMany([...texts.keys()]);
  return new Map(
    current.filter(({ id, content }) => texts.get(id) === content).map((memory) => [memory.id, memory]),
  );
}
