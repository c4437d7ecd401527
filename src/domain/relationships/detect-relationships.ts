import { rest } from '../../lib/throttle.ts';
import { notFound } from '../shared/errors.ts';
import type { UserReaders } from '../shared/stores.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { type KeyedAct, type Write, type WriteDeps, writeAs } from '../shared/write.ts';
import {
  automaticConfidenceMin,
  type EvidenceTexts,
  type ExtractionStatus,
  evidenceTextsOf,
  isDecided,
  type RelationshipCandidate,
} from './found-relationship.ts';
import type { CreationMethod, Relationship, RelationshipType } from './relationship.ts';
import { refreshStates } from './relationship-service.ts';
import { closesCircle, insertFound, knownAroundMax } from './write-found-relationships.ts';

/** Maximum of relationships, and of candidates, in one response. */
export const detectedMax = 100;
/** A memory just written is usually compared within this time. */
const waitMsMax = 1000;
const lookEveryMs = 25;

interface DetectionRequest {
  /** Whether to make relationships of candidates. */
  readonly autoCreate: boolean;
  /**
   * Minimum for returning and creating, 0 to 1; undefined:
   * returns all, creates from `automaticConfidenceMin`.
   */
  readonly minConfidence: number | undefined;
}

/** A relationship or candidate of a memory. */
export interface DetectedRelationship {
  /** The other memory. */
  readonly otherId: string;
  /** `outgoing` if the memory asked about is the source. */
  readonly direction: 'outgoing' | 'incoming';
  readonly type: RelationshipType;
  readonly confidence: number;
  readonly reason: string | null;
  readonly evidence: EvidenceTexts | undefined;
  readonly creationMethod: CreationMethod;
  /** Undefined for a candidate. */
  readonly relationshipId: string | undefined;
}

export interface RelationshipDetection {
  /** By falling confidence. */
  readonly relationships: readonly DetectedRelationship[];
  /** Made by this call. */
  readonly created: readonly Relationship[];
  readonly extractionStatus: ExtractionStatus;
}

/** Lists the relationships and candidates of a memory, and makes relationships of candidates. */
export class RelationshipDetectionService {
  readonly #deps: WriteDeps;

  constructor(deps: WriteDeps) {
    this.#deps = deps;
  }

  /** Waits up to a second for a memory that is not derived yet. @throws 404 */
  async detect(
    user: UserRef,
    memoryId: string,
    { autoCreate, minConfidence }: DetectionRequest,
    act?: KeyedAct<RelationshipDetection>,
  ): Promise<RelationshipDetection> {
    const stores = this.#deps.stores.forUser(user);
    const extractionStatus = await waitUntilDerived(stores, memoryId);
    const of = async (
      readers: UserReaders,
      created: readonly Relationship[],
    ): Promise<RelationshipDetection> => ({
      relationships: await detected(readers, memoryId, minConfidence ?? 0),
      created,
      extractionStatus,
    });
    if (!autoCreate && !act) return of(stores, []);
    const body = async (write: Write) => {
      const from = minConfidence ?? automaticConfidenceMin;
      return of(write.tx, autoCreate ? await makeCandidates(write, memoryId, from) : []);
    };
    return writeAs(this.#deps, user, body, act);
  }
}

/** @throws 404 */
async function waitUntilDerived(
  { memories, foundRelationships }: UserReaders,
  id: string,
): Promise<ExtractionStatus> {
  for (let waitedMs = 0; ; waitedMs += lookEveryMs) {
    const memory = await memories.find(id);
    if (!memory) throw notFound('memory');
    const status = await foundRelationships.extractionStatusOf(memory.doc);
    const isWaiting = status === 'pending' || status === 'running';
    if (!isWaiting || waitedMs >= waitMsMax) return status ?? 'pending';
    await rest(lookEveryMs);
  }
}

async function detected(
  { relationships, foundRelationships }: UserReaders,
  memoryId: string,
  minConfidence: number,
): Promise<DetectedRelationship[]> {
  const active = await relationships.listOf(memoryId, 'both', detectedMax);
  const known = await foundRelationships.knownAround(memoryId, knownAroundMax);
  const candidates = (await foundRelationships.candidatesAround(memoryId, detectedMax)).filter(
    (candidate) => !isDecided(candidate, known),
  );
  const all: readonly (Relationship | RelationshipCandidate)[] = [...active, ...candidates].filter(
    ({ confidence }) => confidence >= minConfidence,
  );
  const texts = await evidenceTextsOf(foundRelationships, all);
  return all
    .map((found, i): DetectedRelationship => {
      const isOutgoing = found.sourceMemoryId === memoryId;
      return {
        otherId: isOutgoing ? found.targetMemoryId : found.sourceMemoryId,
        direction: isOutgoing ? 'outgoing' : 'incoming',
        type: found.type,
        confidence: found.confidence,
        reason: found.reason,
        evidence: texts[i],
        creationMethod: found.creationMethod,
        relationshipId: 'id' in found ? found.id : undefined,
      };
    })
    .sort((a, b) => b.confidence - a.confidence);
}

/**
 * Turns candidates into relationships, except those that
 * a person deleted before or that would close a circle.
 */
async function makeCandidates(write: Write, memoryId: string, from: number): Promise<Relationship[]> {
  const { tx } = write;
  const made: Relationship[] = [];
  const known = await tx.foundRelationships.knownAround(memoryId, knownAroundMax);
  for (const candidate of await tx.foundRelationships.candidatesAround(memoryId, detectedMax)) {
    if (candidate.confidence < from || isDecided(candidate, known)) continue;
    if (await closesCircle(write, candidate)) continue;
    made.push(await insertFound(write, candidate, candidate.creationMethod));
    await tx.foundRelationships.removeCandidate(candidate);
  }
  await refreshStates(
    write,
    made.map(({ targetMemoryId }) => targetMemoryId),
  );
  return made;
}
