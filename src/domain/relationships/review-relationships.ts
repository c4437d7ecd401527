import { notFound } from '../shared/errors.ts';
import type { Page } from '../shared/page.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { type KeyedAct, type Write, type WriteDeps, writeAs } from '../shared/write.ts';
import {
  type EvidenceTexts,
  evidenceTextsOf,
  type KnownRelationship,
  type ReasonGroup,
  type RelationshipCandidate,
  type RelationshipEnds,
  type ReviewedRelationship,
  type ReviewQuery,
} from './found-relationship.ts';
import { type Relationship, type RelationshipType, relationshipTypes } from './relationship.ts';
import { assertNew, refreshStates } from './relationship-service.ts';
import { insertFound } from './write-found-relationships.ts';

/**
 * A candidate has no id of its own: derivation writes it again. Its ends and type stay the same, and are its id:
 * `RESOLVES~<source>~<target>`.
 */
export const candidateIdOf = ({ type, sourceMemoryId, targetMemoryId }: RelationshipEnds) =>
  [type, sourceMemoryId, targetMemoryId].join('~');

function endsOf(id: string): RelationshipEnds | undefined {
  const [type, sourceMemoryId, targetMemoryId, ...rest] = id.split('~');
  const known = relationshipTypes.find((one) => one === type);
  if (!known || !sourceMemoryId || !targetMemoryId || rest.length > 0) return undefined;
  return { type: known, sourceMemoryId, targetMemoryId };
}

export interface AcceptedAs {
  /** In place of the type that was found. */
  readonly type?: RelationshipType;
  /** Whether the target is the source. */
  readonly isSwapped: boolean;
}

export interface Reviewed {
  readonly relationship: ReviewedRelationship;
  readonly evidence: EvidenceTexts | undefined;
}

export interface ReviewPage {
  readonly page: Page<Reviewed>;
  /** Of candidates only. */
  readonly groups: readonly ReasonGroup[];
}

/** Decisions of a person on findings: candidates, and relationships that act already. */
export class RelationshipReviewService {
  readonly #deps: WriteDeps;

  constructor(deps: WriteDeps) {
    this.#deps = deps;
  }

  /** The surest first. */
  async list(user: UserRef, query: ReviewQuery): Promise<ReviewPage> {
    const { foundRelationships } = this.#deps.stores.forUser(user);
    const page = await foundRelationships.review(query);
    const texts = await evidenceTextsOf(foundRelationships, page.items);
    const items = page.items.map((relationship, i) => ({ relationship, evidence: texts[i] }));
    const groups =
      query.state === 'candidate' ? await foundRelationships.reasonGroups(query.minConfidence ?? 0) : [];
    return { page: { ...page, items }, groups };
  }

  /**
   * Makes a relationship of a candidate, with its reason and evidence; derivation keeps it from then on. With another type
   * or direction it is the caller's statement (`manual`), and the finding is rejected.
   * @param id of a candidate or of a relationship
   * @throws 404, 409 for an existing relationship or a circle of SUPERSEDES
   */
  accept(user: UserRef, id: string, as: AcceptedAs, act?: KeyedAct<Relationship>): Promise<Relationship> {
    const body = async (write: Write) => {
      const found = await toDecide(write, id);
      const { type = found.type, isSwapped } = as;
      if (type !== found.type || isSwapped) {
        await rejectFound(write, found);
        return insertDecided(write, { ...restated(found, isSwapped), type, creationMethod: 'manual' });
      }
      if (!('id' in found)) {
        await forgetRejections(write, found);
        return insertDecided(write, found);
      }
      await write.tx.foundRelationships.setAccepted(found.id, write.at);
      return { ...found, acceptedAt: write.at };
    };
    return writeAs(this.#deps, user, body, act);
  }

  /** It is not found again. @param id of a candidate or of a relationship. @throws 404 */
  reject(user: UserRef, id: string, act?: KeyedAct<void>): Promise<void> {
    return writeAs(this.#deps, user, async (write) => rejectFound(write, await toDecide(write, id)), act);
  }

  /**
   * Takes a decision back: a candidate waits again, and a relationship that was removed acts again, with a new id.
   * @param id of a candidate or of a relationship, as it was when it was decided
   * @throws 404, 409 as `accept`
   */
  reopen(user: UserRef, id: string, act?: KeyedAct<ReviewedRelationship>): Promise<ReviewedRelationship> {
    const body = (write: Write) => {
      const ends = endsOf(id);
      return ends ? reopenCandidate(write, ends) : reopenRelationship(write, id);
    };
    return writeAs(this.#deps, user, body, act);
  }
}

/** @throws 404 */
async function toDecide({ tx }: Write, id: string): Promise<RelationshipCandidate | KnownRelationship> {
  const ends = endsOf(id);
  const found = ends
    ? await tx.foundRelationships.candidate(ends)
    : await tx.foundRelationships.knownById(id);
  if (!found || ('isActive' in found && !found.isActive)) throw notFound('candidate');
  return found;
}

/** A finding as a person sees it, perhaps from the other end. */
function restated(
  { sourceMemoryId, targetMemoryId, evidence, ...found }: RelationshipCandidate | KnownRelationship,
  isSwapped: boolean,
) {
  if (!isSwapped) return { ...found, sourceMemoryId, targetMemoryId, evidence };
  return {
    ...found,
    sourceMemoryId: targetMemoryId,
    targetMemoryId: sourceMemoryId,
    evidence: evidence && { ...evidence, earlier: evidence.later, later: evidence.earlier },
  };
}

async function insertDecided(
  write: Write,
  found: Omit<Relationship, 'id' | 'createdAt'>,
): Promise<Relationship> {
  await assertNew(write, found.sourceMemoryId, found);
  const relationship = await insertFound(write, { ...found, acceptedAt: write.at }, found.creationMethod);
  await refreshStates(write, [found.targetMemoryId]);
  return relationship;
}

/** A removed relationship is what keeps derivation from making it: a rejected candidate becomes one that never stood. */
async function rejectFound(write: Write, found: RelationshipCandidate | KnownRelationship): Promise<void> {
  const { tx, at } = write;
  if ('id' in found) {
    await tx.relationships.remove(found.id, at);
    await refreshStates(write, [found.targetMemoryId]);
    return;
  }
  const known = await tx.foundRelationships.knownWith(found);
  if (known.some(({ isActive, isWithdrawn }) => isActive || !isWithdrawn)) return;
  const { id } = await insertFound(write, found, found.creationMethod);
  await tx.relationships.remove(id, at);
}

async function forgetRejections({ tx }: Write, ends: RelationshipEnds): Promise<void> {
  for (const { id, isActive, isWithdrawn } of await tx.foundRelationships.knownWith(ends))
    if (!isActive && !isWithdrawn) await tx.foundRelationships.allowAgain(id);
}

async function reopenCandidate(write: Write, ends: RelationshipEnds): Promise<ReviewedRelationship> {
  const { tx, at } = write;
  const candidate = await tx.foundRelationships.candidate(ends);
  if (!candidate) throw notFound('candidate');
  await forgetRejections(write, ends);
  for (const { id, isActive, acceptedAt } of await tx.foundRelationships.knownWith(ends))
    if (isActive && acceptedAt !== undefined) await tx.foundRelationships.withdraw(id, at);
  await refreshStates(write, [ends.targetMemoryId]);
  return { ...candidate, state: 'candidate' };
}

async function reopenRelationship(write: Write, id: string): Promise<ReviewedRelationship> {
  const { tx } = write;
  const known = await tx.foundRelationships.knownById(id);
  if (!known || (!known.isActive && known.isWithdrawn)) throw notFound('candidate');
  const { isActive, isWithdrawn, acceptedAt, ...relationship } = known;
  if (isActive) {
    await tx.foundRelationships.setAccepted(id, undefined);
    return { ...relationship, state: 'active' };
  }
  await assertNew(write, relationship.sourceMemoryId, relationship);
  await tx.foundRelationships.allowAgain(id);
  const again = await insertFound(write, known, known.creationMethod);
  await refreshStates(write, [again.targetMemoryId]);
  return { ...again, state: 'active' };
}
