import { type Memory, orderTime } from '../memories/memory.ts';
import { invalidInput, notFound } from '../shared/errors.ts';
import type { Stores, UserReaders } from '../shared/stores.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { normaliseTopicName } from '../topics/topic.ts';
import type { FactPair, RelationshipGrounds } from './connection.ts';
import { relationshipPath } from './edge-path.ts';
import { evidenceTextsOf } from './evidence-texts.ts';
import { explainGrounds } from './explanation-text.ts';
import { isDecided } from './found-edge.ts';
import type { RelationshipType } from './relationship.ts';
import type { SaidFact, VersionDerivation } from './shared-derivation-store.ts';

const edgesLookedAt = 1000;
const candidatesLookedAt = 100;
/** Of each kind of what is shared. */
const shownMax = 10;

export interface ExplanationRequest {
  readonly memoryId: string;
  readonly otherMemoryId: string;
  readonly type: RelationshipType;
}

export interface RelationshipExplanation {
  readonly text: string;
  readonly grounds: RelationshipGrounds;
}

/** Says in words what two memories have to do with each other, out of what is stored alone. */
export class RelationshipExplanationService {
  readonly #stores: Stores;

  constructor({ stores }: { readonly stores: Stores }) {
    this.#stores = stores;
  }

  /** @throws 404 for a memory that is not there, 422 for one with itself */
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
  const isBetween = ({
    sourceMemoryId,
    targetMemoryId,
  }: {
    sourceMemoryId: string;
    targetMemoryId: string;
  }) => sourceMemoryId === other.id || targetMemoryId === other.id;
  const known = (await foundRelationships.knownAround(memory.id, edgesLookedAt)).filter(isBetween);
  const edges = known.filter(({ isActive }) => isActive);
  const candidates = (await foundRelationships.candidatesAround(memory.id, candidatesLookedAt)).filter(
    (candidate) => isBetween(candidate) && !isDecided(candidate, known),
  );
  const evidence = await evidenceTextsOf(foundRelationships, [...edges, ...candidates]);
  const [own, others] = [
    await sharedDerivations.derivationOf(memory.doc),
    await sharedDerivations.derivationOf(other.doc),
  ];
  return {
    memory,
    other,
    type,
    relationships: edges.map((edge, i) => ({ edge, evidence: evidence[i] })),
    candidates: candidates.map((candidate, i) => ({ candidate, evidence: evidence[edges.length + i] })),
    former: known.find((edge) => !edge.isActive && edge.type === type),
    path: edges.length > 0 ? undefined : await relationshipPath(relationships, memory.id, other.id),
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

/** Different facts of one subject. */
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
