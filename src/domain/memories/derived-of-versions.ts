import type { PartsOfVersion } from '../derivation/derivation-store.ts';
import type { EntityOfMemory } from '../entities/entity.ts';
import type { FactsOfMemory } from '../facts/fact.ts';
import type { UserReaders } from '../shared/stores.ts';
import type { EpochMs } from '../shared/time.ts';
import { normaliseTopicName } from '../topics/topic.ts';
import type { Memory } from './memory.ts';

/** Derived records shown with a version of a memory. */
export interface DerivedOfVersion {
  readonly facts: FactsOfMemory;
  /** In the order of the text. */
  readonly entities: readonly EntityOfMemory[];
  /** Derived topics, best first, without those that the client gave. */
  readonly topics: readonly string[];
}

interface DerivedRequest {
  readonly facts?: boolean;
  readonly entities?: boolean;
  readonly topics?: boolean;
  /** Time of the requested facts; entities and topics follow from the versions. */
  readonly asOf?: EpochMs;
  /** The parts of each version, if they were read before. */
  readonly among?: ReadonlyMap<number, PartsOfVersion>;
}

type Sources = Pick<UserReaders, 'facts' | 'entities' | 'topics'>;

const noFacts: FactsOfMemory = { shown: [], derived: 0 };

/**
 * Reads the derived records of versions with a few statements
 * for all of them; parts that are not requested are empty.
 * @returns a function from one of the versions to its records
 */
export async function derivedOfVersions(
  readers: Sources,
  versions: readonly Memory[],
  requested: DerivedRequest,
): Promise<(version: Memory) => DerivedOfVersion> {
  const having = (part: 'facts' | 'entities' | 'topics') => {
    const { [part]: isRequested, among } = requested;
    if (!isRequested) return [];
    return among ? versions.filter(({ doc }) => among.get(doc)?.[part]) : versions;
  };
  const withFacts = having('facts');
  const withEntities = having('entities');
  const withTopics = having('topics');
  const factsOf =
    withFacts.length > 0 ? await readers.facts.listByVersions(withFacts, requested.asOf) : undefined;
  const entitiesOf =
    withEntities.length > 0 ? await readers.entities.listByVersions(toDocs(withEntities)) : undefined;
  const topicsOf = withTopics.length > 0 ? await readers.topics.listDerived(toDocs(withTopics)) : undefined;
  return (version) => ({
    facts: factsOf?.get(version.doc) ?? noFacts,
    entities: entitiesOf?.get(version.doc) ?? [],
    topics: withoutGiven(topicsOf?.get(version.doc) ?? [], version.topics),
  });
}

const toDocs = (versions: readonly Memory[]) => [...new Set(versions.map(({ doc }) => doc))];

function withoutGiven(derived: readonly string[], given: readonly string[]): readonly string[] {
  if (derived.length === 0 || given.length === 0) return derived;
  const known = new Set(given.map(normaliseTopicName));
  return derived.filter((name) => !known.has(normaliseTopicName(name)));
}
