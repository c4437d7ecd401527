import { type Static, Type } from 'typebox';
import { type ApiKey, keyScopes } from '../../domain/api-keys/api-key.ts';
import { toIso } from '../../domain/shared/time.ts';
import { component } from './component.ts';
import { oneOf } from './query.ts';

const nullableTime = Type.Unsafe<string | null>({ type: ['string', 'null'] });

export const ApiKeySchema = Type.Object(
  {
    id: Type.String(),
    label: Type.String(),
    prefix: Type.String({ description: 'Public part of the key.' }),
    scopes: Type.Array(oneOf(keyScopes, component('KeyScope'))),
    createdAt: Type.String(),
    expiresAt: nullableTime,
    lastUsedAt: nullableTime,
  },
  component('ApiKey'),
);

export function toApiKeyRecord(key: ApiKey): Static<typeof ApiKeySchema> {
  return {
    id: key.id,
    label: key.label,
    prefix: key.prefix,
    scopes: [...key.scopes],
    createdAt: toIso(key.createdAt),
    expiresAt: key.expiresAt === null ? null : toIso(key.expiresAt),
    lastUsedAt: key.lastUsedAt === null ? null : toIso(key.lastUsedAt),
  };
}
