import type { DerivationReader, EntityName } from '../domain/derivation/derivation-store.ts';
import type { AliasTarget, DerivedEntity } from '../domain/derivation/derived.ts';
import type { EntityType } from '../domain/entities/entity.ts';
import { groupBy } from '../lib/collections.ts';
import type { AliasRequest, AliasVerdict } from './text-deriver.ts';

/** Types whose names have aliases; names of other types are recognised by their form. */
const types: readonly EntityType[] = ['PERSON', 'ORGANIZATION', 'LOCATION', 'TECHNOLOGY', 'PROJECT'];
/** Maximum of names of a type that a new one is compared with: the newest. */
const othersMax = 2000;

type Judge = (request: AliasRequest) => Promise<readonly (readonly AliasVerdict[])[]>;

const identity = ({ type, key }: Pick<DerivedEntity, 'type' | 'key'>) => `${type} ${key}`;

/**
 * Finds the targets of names that are new to the user and are aliases of other
 * names: certain ones, and uncertain ones if there is exactly one candidate.
 * @returns targets by `TYPE key` of the new name
 */
export async function findAliases(
  entities: readonly DerivedEntity[],
  reader: DerivationReader,
  judge: Judge,
): Promise<ReadonlyMap<string, AliasTarget>> {
  const found = new Map<string, AliasTarget>();
  const first = new Map(
    entities.filter(({ type }) => types.includes(type)).map((each) => [identity(each), each]),
  );
  const known = new Set(
    (await reader.entitiesNamed([...new Set([...first.values()].map(({ key }) => key))])).map(identity),
  );
  const fresh = [...first.values()].filter((each) => !known.has(identity(each)));
  for (const [type, names] of groupBy(fresh, (each) => each.type)) {
    const others: EntityName[] = await reader.namesOfType(type, othersMax);
    const request = { type, names: names.map(({ name }) => name) };
    const verdicts = await judge({
      ...request,
      others: [...others.map(({ name }) => name), ...request.names],
    });
    // A new name is compared with those before it.
    for (const [i, { key, name }] of names.entries()) {
      const target = targetAmong(others, verdicts[i]);
      if (target) found.set(identity({ type, key }), target);
      others.push({ key, name, type, canonicalId: target?.canonicalId ?? identity({ type, key }) });
    }
  }
  return found;
}

function targetAmong(
  others: readonly EntityName[],
  verdicts: readonly AliasVerdict[],
): AliasTarget | undefined {
  const same = others.find((_, i) => verdicts[i] === 'same');
  if (same) return { key: same.key, canonicalId: same.canonicalId, isSure: true };
  const maybe = others.filter((_, i) => verdicts[i] === 'maybe');
  const groups = new Set(maybe.map(({ canonicalId }) => canonicalId));
  if (groups.size !== 1) return undefined;
  const [{ key, canonicalId }] = maybe;
  // `Mel` may be Melanie, and Melody may be `Mel`, but Melanie and Melody are different.
  const isOther = others.some((other, i) => other.canonicalId === canonicalId && verdicts[i] === 'no');
  return isOther ? undefined : { key, canonicalId, isSure: false };
}
