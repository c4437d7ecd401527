import type { EntityOfMemory } from '../../domain/entities/entity.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { analyzeQuery } from '../../search-index/analysis/index.ts';
import type { BriefingDeps } from '../briefing-deps.ts';
import { folded, isProse, isUsefulFact, namesOf } from '../text/useful-facts.ts';
import type { DigestSource, KeyEntity, KeyFact } from './digest.ts';

const factsMax = 10;
const entitiesMax = 30;

/**
 * Facts of the sources that hold, worth reading on their own, without repetitions by case or spaces: by number of
 * sources, then by confidence.
 */
export async function keyFactsOf(
  { stores }: BriefingDeps,
  user: UserRef,
  sources: readonly DigestSource[],
  about: { readonly query: string; readonly entities: ReadonlyMap<number, readonly EntityOfMemory[]> },
): Promise<KeyFact[]> {
  const current = sources
    .map(({ memory }) => memory)
    .filter(({ effectiveState, content }) => effectiveState === 'current' && isProse(content));
  const byVersion = await stores.forUser(user).facts.listByVersions(current);
  const worth = { queryTerms: new Set(analyzeQuery(about.query)), names: namesOf(about.entities.values()) };
  const found = new Map<string, KeyFact>();
  for (const { shown } of byVersion.values()) {
    const own = new Map(
      shown.map((fact) => [[fact.subject, fact.predicate, fact.object].map(folded).join('\n'), fact]),
    );
    for (const [key, { subject, predicate, object, confidence, basis = null }] of own) {
      if (!isUsefulFact({ subject, predicate, object, basis }, worth)) continue;
      const known = found.get(key);
      found.set(key, {
        ...(known ?? { subject, predicate, object }),
        confidence: Math.max(known?.confidence ?? 0, confidence),
        mentions: (known?.mentions ?? 0) + 1,
      });
    }
  }
  return [...found.values()]
    .sort((a, b) => b.mentions - a.mentions || b.confidence - a.confidence)
    .slice(0, factsMax);
}

/** Hosts of addresses in trailers of commits. */
const noName = /noreply|^[\w.-]+@[\w.-]+$/i;

/** Entities of the sources: those that most sources mention first, then by name. */
export function keyEntitiesOf(bySource: Iterable<readonly EntityOfMemory[]>): KeyEntity[] {
  const found = new Map<string, KeyEntity>();
  for (const entities of bySource)
    for (const { id, name, type } of entities)
      if (!noName.test(name)) found.set(id, { name, type, mentions: (found.get(id)?.mentions ?? 0) + 1 });
  return [...found.values()]
    .sort((a, b) => b.mentions - a.mentions || (a.name < b.name ? -1 : 1))
    .slice(0, entitiesMax);
}
