import type { Static } from 'typebox';
import {
  type ApiKey,
  keyLabelLengthMax,
  keyScopes,
  requestsPerMinuteMax,
} from '../../domain/api-keys/api-key.ts';
import type { CreatedKey } from '../../domain/api-keys/key-service.ts';
import { apiKeyShownBefore } from '../../domain/shared/errors.ts';
import { parseExpiry, toIso } from '../../domain/shared/time.ts';
import { toErrorBody } from '../errors.ts';
import { keyedAct } from '../keyed-act.ts';
import { type Route, Type } from '../route-plugin.ts';
import { component } from '../schemas/component.ts';
import { dataOf, noContent } from '../schemas/envelope.ts';
import { expiryText, idParams, oneOf } from '../schemas/query.ts';

const nullableTime = Type.Unsafe<string | null>({ type: ['string', 'null'] });

const perMinute = { minimum: 1, maximum: requestsPerMinuteMax };

/** Fields of the request for any new key. */
export const newKeyFields = {
  expiresAt: Type.Optional(
    expiryText(
      'When the key stops working: by default with the key that creates it, and never later than it.',
    ),
  ),
  requestsPerMinute: Type.Optional(
    Type.Integer({
      ...perMinute,
      description:
        'How many requests a minute the key may make at each process of the service; more get 429 `RATE_LIMITED`. At most ' +
        'the limit of the key that makes it, which is the default; none if that key has none.',
    }),
  ),
};

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

const Body = Type.Object(
  {
    label: Type.Optional(Type.String({ maxLength: keyLabelLengthMax })),
    expiresAt: newKeyFields.expiresAt,
    scopes: Type.Optional(
      Type.Array(oneOf(keyScopes, component('KeyScope')), {
        minItems: 1,
        maxItems: keyScopes.length,
        description:
          'At most the scopes of the key that creates it. Default: the same scopes, without `operator`.',
      }),
    ),
    requestsPerMinute: newKeyFields.requestsPerMinute,
  },
  { examples: [{ label: 'laptop', scopes: ['read', 'write'] }] },
);

const createApiKey: Route = (app, { keys, clock }) =>
  app.post(
    '/api/apikeys',
    {
      config: { scope: 'admin', showsSecret: true },
      schema: {
        operationId: 'createApiKey',
        tags: ['API keys'],
        summary: 'Create an API key',
        description:
          'A repeat with the same Idempotency-Key makes no second key and does not show the secret again: it is ' +
          'answered with 409 API_KEY_SHOWN_BEFORE.',
        body: Type.Optional(Body),
        response: {
          201: dataOf(
            Type.Object({ apiKey: Type.String(), keyInfo: ApiKeySchema }, component('CreatedApiKey')),
            'The key; its secret is shown here only.',
          ),
        },
      },
    },
    async (request, reply) => {
      const { expiresAt, ...rest } = request.body ?? {};
      const fields = {
        ...rest,
        expiresAt: expiresAt === undefined ? undefined : parseExpiry(expiresAt, 'expiresAt', clock.now()),
      };
      const shownBefore = ({ keyInfo }: CreatedKey) => ({
        body: toErrorBody(apiKeyShownBefore(keyInfo.id), request.id),
      });
      const act = keyedAct(request, reply, 409, shownBefore);
      const { apiKey, keyInfo } = await keys.createBy(request.apiKey, request.user, fields, act);
      return reply.code(201).send({ data: { apiKey, keyInfo: toApiKeyRecord(keyInfo) } });
    },
  );

const listApiKeys: Route = (app, { keys }) =>
  app.get(
    '/api/apikeys',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'listApiKeys',
        tags: ['API keys'],
        summary: 'List API keys',
        description: 'The keys of the user, newest first, without their secrets. Needs the scope admin.',
        response: { 200: dataOf(Type.Array(ApiKeySchema), 'The keys.') },
      },
    },
    async (request) => ({ data: (await keys.list(request.user)).map(toApiKeyRecord) }),
  );

const deleteApiKey: Route = (app, { keys }) =>
  app.delete(
    '/api/apikeys/:id',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'deleteApiKey',
        tags: ['API keys'],
        summary: 'Revoke an API key',
        description: 'It stops working at once. Needs the scope admin.',
        params: idParams,
        response: { 204: noContent('Revoked.') },
      },
    },
    async (request, reply) => {
      await keys.revoke(request.user, request.params.id);
      return reply.code(204).send(null);
    },
  );

const deleteCurrentKey: Route = (app, { keys }) =>
  app.delete(
    '/api/apikeys/current',
    {
      config: { scope: 'any' },
      schema: {
        operationId: 'deleteCurrentApiKey',
        tags: ['API keys'],
        summary: 'Revoke the key of this request',
        description: 'Any key may end itself, whatever its scopes, as a program does that signs out.',
        response: { 204: noContent('Revoked.') },
      },
    },
    async ({ user, apiKey }, reply) => {
      await keys.revoke(user, apiKey.id);
      return reply.code(204).send(null);
    },
  );

const debugUser: Route = (app) =>
  app.get(
    '/api/apikeys/debug-user',
    {
      config: { scope: 'any' },
      schema: {
        operationId: 'debugUser',
        tags: ['API keys'],
        summary: 'Show whose key this is',
        description: 'Any valid key may ask, whatever its scopes.',
        response: {
          200: dataOf(
            Type.Object({
              userId: Type.String(),
              authMethod: Type.String(),
              scopes: Type.Array(Type.String()),
              expiresAt: { ...nullableTime, description: 'When the key ends; null: never.' },
            }),
            'The user and the scopes of the key.',
          ),
        },
      },
    },
    async ({ user, apiKey }) => ({
      data: {
        userId: user.publicId,
        authMethod: 'api_key',
        scopes: [...apiKey.scopes],
        expiresAt: apiKey.expiresAt === null ? null : toIso(apiKey.expiresAt),
      },
    }),
  );

export const apiKeyRoutes: readonly Route[] = [
  listApiKeys,
  createApiKey,
  debugUser,
  deleteCurrentKey,
  deleteApiKey,
];
