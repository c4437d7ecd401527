import { normaliseTopicName } from '../topics/topic.ts';
import type { Derived, DerivedEntity, DerivedFact, DerivedTopic, Veto, VetoKind } from './derived.ts';

export const vetoKeyOf = {
  entity: ({ type, key }: Pick<DerivedEntity, 'type' | 'key'>) => `${type} ${key}`,
  fact: ({ key }: Pick<DerivedFact, 'key'>) => key,
  topic: ({ name }: Pick<DerivedTopic, 'name'>) => normaliseTopicName(name),
} as const;

const labelOf = ({ kind, key }: Veto) => `${kind} ${key}`;

/** The derived records without the vetoed ones; facts keep their other entities. */
export function withoutVetoed(derived: Derived, vetoes: readonly Veto[]): Derived {
  if (vetoes.length === 0) return derived;
  const labels = new Set(vetoes.map(labelOf));
  const isKept = (kind: VetoKind, key: string) => !labels.has(labelOf({ kind, key }));
  const kept = derived.entities.flatMap((entity, index) =>
    isKept('entity', vetoKeyOf.entity(entity)) ? [{ entity, index }] : [],
  );
  const places = new Map(kept.map(({ index }, place) => [index, place]));
  return {
    ...derived,
    entities: kept.map(({ entity }) => entity),
    facts: derived.facts
      .filter((fact) => isKept('fact', vetoKeyOf.fact(fact)))
      .map((fact) => ({
        ...fact,
        entities: fact.entities.flatMap(({ index, role }) => {
          const place = places.get(index);
          return place === undefined ? [] : [{ index: place, role }];
        }),
      })),
    topics: derived.topics.filter((topic) => isKept('topic', vetoKeyOf.topic(topic))),
  };
}
