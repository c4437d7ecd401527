import { type Memory, orderTime } from '../memories/memory.ts';
import { invalidInput, notFound } from '../shared/errors.ts';
import type { Stores, UserReaders } from '../shared/stores.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { normaliseTopicName } from '../topics/topic.ts';
import { evidenceTextsOf, type FoundRelationship, isDecided } from './found-relationship.ts';
import type { Relationship, RelationshipType } from './relationship.ts';
import {
  explainGrounds,
  type FactPair,
  type RelationshipGrounds,
  type SaidFact,
  type VersionDerivation,
} from './relationship-grounds.ts';
import { relationshipPath } from './relationship-paths.ts';

const knownMax = 1000;
const candidatesMax = 100;
/** Maximum of shared entities, facts, pairs of facts, and topics. */
const shownMax = 10;

interface ExplanationRequest {
  readonly memoryId: string;
  readonly otherMemoryId: string;
  readonly type: RelationshipType;
}

export interface RelationshipExplanation {
  readonly text: string;
  readonly grounds: RelationshipGrounds;
}

/** Explains the relation of two memories in words, from stored data only. */
export class RelationshipExplanationService {
  readonly #stores: Stores;

  constructor({ stores }: { readonly stores: Stores }) {
    this.#stores = stores;
  }

  /** @throws 404 for a missing memory, 422 if both are the same */
  async explain(
    user: UserRef,
    { memoryId, otherMemoryId, type }: ExplanationRequest,
  ): Promise<RelationshipExplanation> {
    const readers = this.#stores.forUser(user);
    const memory = await readers.memories.find(memoryId);
    if (!memory) throw notFound('memory');
    if (memoryId === otherMemoryId) throw invalidInput('otherMemoryId', 'must be another memory');
    const other = await readers.memories.find(otherMemoryId);
    if (!other) throw notFound('memory');
    const grounds = await groundsOf(readers, memory, other, type);
    return { text: explainGrounds(grounds), grounds };
  }
}

async function groundsOf(
  readers: UserReaders,
  memory: Memory,
  other: Memory,
  type: RelationshipType,
): Promise<RelationshipGrounds> {
  const { foundRelationships, relationships, sharedDerivations } = readers;
  const isBetween = ({ sourceMemoryId, targetMemoryId }: FoundRelationship | Relationship) =>
    sourceMemoryId === other.id || targetMemoryId === other.id;
  const known = (await foundRelationships.knownAround(memory.id, knownMax)).filter(isBetween);
  const active = known.filter(({ isActive }) => isActive);
  const candidates = (await foundRelationships.candidatesAround(memory.id, candidatesMax)).filter(
    (candidate) => isBetween(candidate) && !isDecided(candidate, known),
  );
  const evidence = await evidenceTextsOf(foundRelationships, [...active, ...candidates]);
  const [own, others] = [
    await sharedDerivations.derivationOf(memory.doc),
    await sharedDerivations.derivationOf(other.doc),
  ];
  return {
    memory,
    other,
    type,
    relationships: active.map((relationship, i) => ({ relationship, evidence: evidence[i] })),
    candidates: candidates.map((candidate, i) => ({ candidate, evidence: evidence[active.length + i] })),
    former: known.find((relationship) => !relationship.isActive && relationship.type === type),
    path: active.length > 0 ? undefined : await relationshipPath(relationships, memory.id, other.id),
    entities: own.entities
      .filter(({ id }) => others.entities.some((each) => each.id === id))
      .slice(0, shownMax),
    facts: own.facts.filter(({ id }) => others.facts.some((each) => each.id === id)).slice(0, shownMax),
    factPairs: factPairs(own, others),
    topics: sharedTopics([...memory.topics, ...own.topics], [...other.topics, ...others.topics]),
    isOneConversation: memory.conversationId === other.conversationId,
    laterByMs: orderTime(other) - orderTime(memory),
  };
}

/** Facts of one subject that only one of the two states. */
function factPairs(own: VersionDerivation, others: VersionDerivation): FactPair[] {
  const ids = new Set([...own.facts, ...others.facts].map(({ id }) => id));
  const isShared = ({ id }: SaidFact) =>
    ids.has(id) && own.facts.some((each) => each.id === id) && others.facts.some((each) => each.id === id);
  return own.facts
    .filter((fact) => !isShared(fact))
    .flatMap((fact) =>
      others.facts
        .filter((each) => !isShared(each) && each.subject.toLowerCase() === fact.subject.toLowerCase())
        .map((each) => ({ own: fact, other: each })),
    )
    .slice(0, shownMax);
}

function sharedTopics(own: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others.map(normaliseTopicName));
  const shared = new Map(
    own.filter((name) => known.has(normaliseTopicName(name))).map((name) => [normaliseTopicName(name), name]),
  );
  return [...shared.values()].slice(0, shownMax);
}
