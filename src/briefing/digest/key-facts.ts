import type { EntityOfMemory } from '../../domain/entities/entity.ts';
import type { FactOfMemory } from '../../domain/facts/fact.ts';
import type { KeyEntity, KeyFact } from './digest.ts';

const factsMax = 20;
const entitiesMax = 30;

/** Facts of the sources, without repetitions by case or spaces: by number of sources, then by confidence. */
export function keyFactsOf(bySource: Iterable<readonly FactOfMemory[]>): KeyFact[] {
  const found = new Map<string, KeyFact>();
  for (const facts of bySource) {
    const seen = new Set<string>();
    for (const { subject, predicate, object, confidence } of facts) {
      const key = [subject, predicate, object].map(folded).join('\n');
      if (seen.has(key)) continue;
      seen.add(key);
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

const folded = (text: string) => text.toLowerCase().replace(/\s+/g, ' ').trim();

/** Entities of the sources, those that most of them mention first, then by name. */
export function keyEntitiesOf(bySource: Iterable<readonly EntityOfMemory[]>): KeyEntity[] {
  const found = new Map<string, KeyEntity>();
  for (const entities of bySource)
    for (const { id, name, type } of entities)
      found.set(id, { name, type, mentions: (found.get(id)?.mentions ?? 0) + 1 });
  return [...found.values()]
    .sort((a, b) => b.mentions - a.mentions || (a.name < b.name ? -1 : 1))
    .slice(0, entitiesMax);
}
