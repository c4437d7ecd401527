import { type Static, Type } from 'typebox';
import { type ApiKey, keyScopes, requestsPerMinuteMax } from '../../domain/api-keys/api-key.ts';
import { toIso } from '../../domain/shared/time.ts';
import { component } from './component.ts';
import { oneOf } from './query.ts';

const nullableTime = Type.Unsafe<string | null>({ type: ['string', 'null'] });

const perMinute = { minimum: 1, maximum: requestsPerMinuteMax };

/** Limit of a key that is to be made. */
export const keyLimit = Type.Optional(
  Type.Integer({
    ...perMinute,
    description:
      'How many requests a minute the key may make at each process of the service; more get 429 `RATE_LIMITED`. At most ' +
      'the limit of the key that makes it, which is the default; none if that key has none.',
  }),
);

export const ApiKeySchema = Type.Object(
  {
    id: Type.String(),
    label: Type.String(),
    prefix: Type.String({ description: 'Public part of the key.' }),
    scopes: Type.Array(oneOf(keyScopes, component('KeyScope'))),
    createdAt: Type.String(),
    expiresAt: nullableTime,
    lastUsedAt: nullableTime,
    requestsPerMinute: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      ...perMinute,
      description: 'Limit of its requests a minute; null: none.',
    }),
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
    requestsPerMinute: key.requestsPerMinute,
  };
}
