import { entitiesOfMemoryMax } from '../../domain/entities/entity.ts';
import { factsOfMemoryMax } from '../../domain/facts/fact.ts';
import { derivedOfVersions } from '../../domain/memories/derived-of-versions.ts';
import { isOutdated } from '../../domain/memories/memory.ts';
import type { RelationshipReader } from '../../domain/relationships/relationship.ts';
import type { UserReaders } from '../../domain/shared/stores.ts';
import type { EpochMs } from '../../domain/shared/time.ts';
import type { FactIndexReader } from '../../search-index/ports.ts';
import type { IndexView } from '../../search-index/rows/index-view.ts';
import { isFactSignal } from '../arms/fact-arm.ts';
import type { Signal } from '../arms/signal.ts';
import { replacedAmong } from '../matters/replaced-among.ts';
import type { SearchHit, SearchRequest } from '../request.ts';

/**
 * The hits with what relationships say of them, and with the newer one of a pair on the same matter among them. Reads
 * no relationship if all are current, and none is unresolved.
 */
export async function withRelationships(
  relationships: Pick<RelationshipReader, 'newerOf' | 'incomingTypes'>,
  hits: readonly SearchHit[],
  asOf: EpochMs | undefined,
): Promise<readonly SearchHit[]> {
  const memories = hits.map(({ memory }) => memory);
  const outdated = memories.filter(
    ({ effectiveState, outdatedParts }) => isOutdated(effectiveState) || outdatedParts !== null,
  );
  const unresolved = memories.filter(({ outcome }) => outcome === 'unresolved');
  const replaced = await replacedAmong(memories);
  if (outdated.length + unresolved.length + replaced.size === 0) return hits;
  const newer =
    outdated.length === 0
      ? undefined
      : await relationships.newerOf(
          outdated.map(({ seq }) => seq),
          asOf,
        );
  const incoming =
    unresolved.length === 0 ? undefined : await relationships.incomingTypes(unresolved.map(({ id }) => id));
  return hits.map((hit) =>
    Object.assign({}, hit, {
      newer: newer?.get(hit.memory.seq)?.[0].id ?? replaced.get(hit.memory.id)?.id,
      isResolved: incoming?.get(hit.memory.id)?.includes('RESOLVES'),
    }),
  );
}

/** The hits with the requested derived data of their versions, as of the time of the request. */
export async function withDerived(
  readers: Pick<UserReaders, 'facts' | 'entities' | 'topics'>,
  hits: readonly SearchHit[],
  { includeFacts, includeEntities, includeTopics, entityTypes, filter }: SearchRequest,
): Promise<readonly SearchHit[]> {
  if (!includeFacts && !includeEntities && !includeTopics) return hits;
  const derivedOf = await derivedOfVersions(
    readers,
    hits.map(({ memory }) => memory),
    { facts: includeFacts, entities: includeEntities, topics: includeTopics, asOf: filter.asOf },
  );
  const isShown = entityTypes && new Set<string>(entityTypes);
  return hits.map((hit) => {
    const { facts, entities, topics } = derivedOf(hit.memory);
    const shown = isShown ? entities.filter(({ type }) => isShown.has(type)) : entities;
    return Object.assign({}, hit, {
      facts: includeFacts ? facts.shown : undefined,
      entities: includeEntities ? shown.slice(0, entitiesOfMemoryMax) : undefined,
      extractedTopics: includeTopics ? topics : undefined,
    });
  });
}

export interface MatchingFactsInput {
  readonly signals: readonly Signal[];
  readonly index: IndexView['index'];
  readonly asOf: EpochMs | undefined;
}

/** The hits of a search for facts with their matching facts, the best first, at most 100 each. */
export async function withMatchingFacts(
  facts: Pick<FactIndexReader, 'byDoc' | 'basesIn'>,
  hits: readonly SearchHit[],
  { signals, index, asOf }: MatchingFactsInput,
): Promise<SearchHit[]> {
  const stated = signals.find(isFactSignal)?.factsOf;
  const docs = hits.map(
    ({ memory }) => stated?.get(index.rowOf(memory.doc))?.slice(0, factsOfMemoryMax) ?? [],
  );
  const found = await facts.byDoc([...new Set(docs.flat())], asOf);
  const bases = await facts.basesIn(hits.map(({ memory }) => memory.doc));
  return hits.map((hit, i) => {
    const said = bases.get(hit.memory.doc);
    const matching = docs[i].flatMap((doc) => found.get(doc) ?? []);
    return { ...hit, facts: matching.map((fact) => ({ ...fact, basis: said?.get(fact.id) ?? null })) };
  });
}
