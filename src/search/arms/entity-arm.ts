import { namesInQuery } from '../query/words/names-in-query.ts';
import type { Arm, ArmContext } from './arm.ts';
import { derivedSignal, type NamedRows, rarity, visibleRows } from './derived-signal.ts';
import type { FoundSignal, SignalSpec } from './signal.ts';

const entity: SignalSpec = {
  name: 'entity',
  group: 'entity',
  via: 'entity',
  parts: { self: 'an entity that the query names' },
};

/** Maximum entities of a query, and newest memories looked up for each. */
const entitiesMax = 16;
const memoriesMax = 5000;

/** Finds memories that mention an entity of the query, under any of its names; a rare entity counts more. */
export const entityArm: Arm = {
  name: 'entity',
  signals: [entity],
  isAsked: ({ factors }) => factors.entity !== undefined,
  run: findEntities,
};

async function findEntities({ plan, reader, view }: ArmContext): Promise<FoundSignal[]> {
  const { entityKeys } = namesInQuery(plan.query);
  if (entityKeys.length === 0) return [];
  const found: NamedRows[] = [];
  for (const { id, name, type } of await reader.derived.entitiesNamed(entityKeys, entitiesMax)) {
    const rows = visibleRows(view, await reader.derived.docsOfEntity(id, memoriesMax));
    found.push({ label: `${name} (${type})`, rows, weight: rarity(view, rows.length) });
  }
  return found.length === 0 ? [] : [derivedSignal(entity, view, found, 'Mentions')];
}
