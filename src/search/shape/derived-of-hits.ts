import { entitiesOfMemoryMax } from '../../domain/entities/entity.ts';
import { derivedOfVersions } from '../../domain/memories/derived-of-versions.ts';
import type { UserReaders } from '../../domain/shared/stores.ts';
import type { SearchHit, SearchRequest } from '../request.ts';

/** The hits with what the request asks for of that which their versions say, as of its time. */
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
