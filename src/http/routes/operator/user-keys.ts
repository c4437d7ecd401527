import { keyLabelLengthMax, ownScopes } from '../../../domain/api-keys/api-key.ts';
import { parseExpiry } from '../../../domain/shared/time.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { ApiKeySchema, keyLimit, toApiKeyRecord } from '../../schemas/api-key.ts';
import { component } from '../../schemas/component.ts';
import { dataOf, described, ExistingMetaSchema, errorResponses, noContent } from '../../schemas/envelope.ts';
import { expiryText, nameParams, oneOf } from '../../schemas/query.ts';

const path = '/api/operator/users/:name/keys';
const config = { scope: 'operator' } as const;
const tags = ['Operator'];

const listUserKeys: Route = (app, { users, keys }) => {
  app.get(
    path,
    {
      config,
      schema: {
        operationId: 'listUserKeys',
        tags,
        summary: 'List the API keys of a user',
        description: 'Newest first, without their secrets. Needs the scope operator.',
        params: nameParams,
        response: { 200: dataOf(Type.Array(ApiKeySchema), 'The keys.'), ...errorResponses },
      },
    },
    async ({ params }) => ({ data: (await keys.list(await users.get(params.name))).map(toApiKeyRecord) }),
  );
};

const defaultScopes = ['read', 'write'] as const;

const NewKey = Type.Object(
  {
    label: Type.String({
      minLength: 1,
      maxLength: keyLabelLengthMax,
      description: 'What the key is for. A user has one key of a label that works.',
    }),
    scopes: Type.Optional(
      Type.Array(oneOf(ownScopes, component('OwnScope')), {
        minItems: 1,
        maxItems: ownScopes.length,
        description: 'What the key may do for its user; read and write by default.',
      }),
    ),
    expiresAt: Type.Optional(
      expiryText(
        'When the key stops working, no later than the key that makes it; that by default, or never where that never does.',
      ),
    ),
    requestsPerMinute: keyLimit,
  },
  { examples: [{ label: 'app', scopes: ['read', 'write'], expiresAt: '90d' }] },
);

const KeyResponse = Type.Object({
  data: Type.Object(
    {
      apiKey: Type.Optional(Type.String({ description: 'The key with its secret, where it was just made.' })),
      keyInfo: ApiKeySchema,
    },
    component('EnsuredApiKey'),
  ),
  meta: Type.Optional(ExistingMetaSchema),
});

const createUserKey: Route = (app, { users, keys, clock }) => {
  app.post(
    path,
    {
      config: { ...config, showsSecret: true },
      schema: {
        operationId: 'createUserKey',
        tags,
        summary: 'Create an API key of a user',
        description:
          'Once: where the user has a key of this label that is neither revoked nor expired, that one is the response, ' +
          'unchanged and without its secret, with status 200 and `meta.existing`. Needs the scope operator.',
        params: nameParams,
        body: NewKey,
        response: {
          200: described(KeyResponse, 'The key that was there before.'),
          201: described(KeyResponse, 'The key; its secret is shown here only.'),
          ...errorResponses,
        },
      },
    },
    async ({ apiKey: maker, params, body }, reply) => {
      const user = await users.get(params.name);
      const { label, scopes = defaultScopes, requestsPerMinute } = body;
      const expiresAt =
        body.expiresAt === undefined ? undefined : parseExpiry(body.expiresAt, 'expiresAt', clock.now());
      const { apiKey, keyInfo } = await keys.ensure(maker, user, {
        label,
        scopes,
        expiresAt,
        requestsPerMinute,
      });
      const record = toApiKeyRecord(keyInfo);
      if (apiKey === undefined) return { data: { keyInfo: record }, meta: { existing: true } };
      return reply.code(201).send({ data: { apiKey, keyInfo: record } });
    },
  );
};

const deleteUserKey: Route = (app, { users, keys }) => {
  app.delete(
    `${path}/:id`,
    {
      config,
      schema: {
        operationId: 'deleteUserKey',
        tags,
        summary: 'Revoke an API key of a user',
        description: 'It stops working at once. Needs the scope operator.',
        params: Type.Object({ ...nameParams.properties, id: Type.String({ maxLength: 500 }) }),
        response: { 204: noContent('Revoked.'), ...errorResponses },
      },
    },
    async ({ params }, reply) => {
      await keys.revoke(await users.get(params.name), params.id);
      return reply.code(204).send(null);
    },
  );
};

export const operatorKeyRoutes: readonly Route[] = [listUserKeys, createUserKey, deleteUserKey];
