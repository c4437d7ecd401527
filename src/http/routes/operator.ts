import type { Static } from 'typebox';
import { keyLabelLengthMax, ownScopes } from '../../domain/api-keys/api-key.ts';
import { invalidInput } from '../../domain/shared/errors.ts';
import { parseExpiry, toIso } from '../../domain/shared/time.ts';
import { type User, userNamePattern, userNameRule } from '../../domain/users/user.ts';
import { type Route, Type } from '../route-plugin.ts';
import { component } from '../schemas/component.ts';
import { dataOf, described, ExistingMetaSchema, noContent, pageOf } from '../schemas/envelope.ts';
import { toListPage, toPagination } from '../schemas/pagination.ts';
import { cursorQuery, nameParams, oneOf } from '../schemas/query.ts';
import { ApiKeySchema, newKeyFields, toApiKeyRecord } from './api-keys.ts';

const config = { scope: 'operator' } as const;
const tags = ['Operator'];

/** A user as the operator sees it. */
const StoreUserSchema = Type.Object(
  {
    name: Type.String({ description: 'How the operator calls the user; clients of the user do not see it.' }),
    id: Type.String({ description: 'What clients of the user see as their id.' }),
    email: Type.String(),
    createdAt: Type.String(),
  },
  component('StoreUser'),
);

function toStoreUserRecord({ name, publicId, email, createdAt }: User): Static<typeof StoreUserSchema> {
  return { name, id: publicId, email, createdAt: toIso(createdAt) };
}

const listUsers: Route = (app, { users }) =>
  app.get(
    '/api/operator/users',
    {
      config,
      schema: {
        operationId: 'listUsers',
        tags,
        summary: 'List users',
        description: 'The users of the store, in order of name. Needs the scope operator.',
        querystring: Type.Object(cursorQuery),
        response: {
          200: pageOf(StoreUserSchema, 'One page of users, and the number of all.'),
        },
      },
    },
    async (request) => {
      const page = await users.page(toListPage(request));
      return { data: page.items.map(toStoreUserRecord), pagination: toPagination(page, request) };
    },
  );

const NewUser = Type.Object(
  {
    name: Type.String({
      pattern: userNamePattern.source,
      rule: userNameRule,
      description: 'How the operator calls the user, such as the id of a customer. Cannot be changed.',
    }),
    email: Type.Optional(
      Type.String({ minLength: 1, maxLength: 254, description: 'Shown to clients of the user.' }),
    ),
  },
  { examples: [{ name: 'customer-42' }] },
);

const UserResponse = Type.Object({ data: StoreUserSchema, meta: Type.Optional(ExistingMetaSchema) });

const createUser: Route = (app, { users }) =>
  app.post(
    '/api/operator/users',
    {
      config,
      schema: {
        operationId: 'createUser',
        tags,
        summary: 'Create a user',
        description:
          'Idempotent: an existing user of this name is returned unchanged, with status 200 and `meta.existing`. ' +
          'Needs the scope operator.',
        body: NewUser,
        response: {
          200: described(UserResponse, 'The user who was there before.'),
          201: described(UserResponse, 'The user just made.'),
        },
      },
    },
    async ({ body }, reply) => {
      const { user, isNew } = await users.findOrAdd(body.name, body.email);
      const data = toStoreUserRecord(user);
      return isNew ? reply.code(201).send({ data }) : { data, meta: { existing: true } };
    },
  );

const getUser: Route = (app, { users }) =>
  app.get(
    '/api/operator/users/:name',
    {
      config,
      schema: {
        operationId: 'getUser',
        tags,
        summary: 'Get a user',
        description: 'By name. Needs the scope operator.',
        params: nameParams,
        response: { 200: dataOf(StoreUserSchema, 'The user.') },
      },
    },
    async ({ params }) => ({ data: toStoreUserRecord(await users.get(params.name)) }),
  );

const deleteUser: Route = (app, { users }) =>
  app.delete(
    '/api/operator/users/:name',
    {
      config,
      schema: {
        operationId: 'deleteUser',
        tags,
        summary: 'Remove a user and everything of theirs, for good',
        description:
          'There is no trash for users. Keys of the user stop working at once and the name is free again; the records ' +
          'are erased in the background, down to the bytes of the file. The user of the calling key cannot be removed. ' +
          'Needs the scope operator.',
        params: nameParams,
        response: { 204: noContent('Removed.') },
      },
    },
    async ({ user, params }, reply) => {
      if (params.name === user.name) throw invalidInput('name', 'must not be the user of the calling key');
      await users.retire(params.name);
      return reply.code(204).send(null);
    },
  );

const keysPath = '/api/operator/users/:name/keys';

const listUserKeys: Route = (app, { users, keys }) =>
  app.get(
    keysPath,
    {
      config,
      schema: {
        operationId: 'listUserKeys',
        tags,
        summary: 'List the API keys of a user',
        description: 'Newest first, without their secrets. Needs the scope operator.',
        params: nameParams,
        response: { 200: dataOf(Type.Array(ApiKeySchema), 'The keys.') },
      },
    },
    async ({ params }) => ({ data: (await keys.list(await users.get(params.name))).map(toApiKeyRecord) }),
  );

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
    ...newKeyFields,
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

const createUserKey: Route = (app, { users, keys, clock }) =>
  app.post(
    keysPath,
    {
      config: { ...config, showsSecret: true },
      schema: {
        operationId: 'createUserKey',
        tags,
        summary: 'Create an API key of a user',
        description:
          'Idempotent: a key of this label that is neither revoked nor expired is returned unchanged and without its ' +
          'secret, with status 200 and `meta.existing`. Needs the scope operator.',
        params: nameParams,
        body: NewKey,
        response: {
          200: described(KeyResponse, 'The key that was there before.'),
          201: described(KeyResponse, 'The key; its secret is shown here only.'),
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

const deleteUserKey: Route = (app, { users, keys }) =>
  app.delete(
    `${keysPath}/:id`,
    {
      config,
      schema: {
        operationId: 'deleteUserKey',
        tags,
        summary: 'Revoke an API key of a user',
        description: 'It stops working at once. Needs the scope operator.',
        params: Type.Object({ ...nameParams.properties, id: Type.String({ maxLength: 500 }) }),
        response: { 204: noContent('Revoked.') },
      },
    },
    async ({ params }, reply) => {
      await keys.revoke(await users.get(params.name), params.id);
      return reply.code(204).send(null);
    },
  );

export const operatorRoutes: readonly Route[] = [
  listUsers,
  createUser,
  getUser,
  deleteUser,
  listUserKeys,
  createUserKey,
  deleteUserKey,
];
