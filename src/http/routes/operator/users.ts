import { invalidInput } from '../../../domain/shared/errors.ts';
import { toPageRequest } from '../../../domain/shared/page.ts';
import { userNamePattern, userNameRule } from '../../../domain/users/user.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { dataOf, described, ExistingMetaSchema, errorResponses, noContent } from '../../schemas/envelope.ts';
import { toPagination } from '../../schemas/pagination.ts';
import { nameParams, pageQuery } from '../../schemas/query.ts';
import { StoreUserSchema, toStoreUserRecord } from '../../schemas/user.ts';

const config = { scope: 'operator' } as const;
const tags = ['Operator'];

const listUsers: Route = (app, { users }) => {
  app.get(
    '/api/operator/users',
    {
      config,
      schema: {
        operationId: 'listUsers',
        tags,
        summary: 'List users',
        description: 'The users of the store, in order of name. Needs the scope operator.',
        querystring: Type.Object(pageQuery),
        response: {
          200: Type.Object(
            { data: Type.Array(StoreUserSchema), pagination: Type.Ref('Pagination') },
            { description: 'One page of users, and the number of all.' },
          ),
          ...errorResponses,
        },
      },
    },
    async ({ query }) => {
      const page = await users.page(toPageRequest(query));
      return { data: page.items.map(toStoreUserRecord), pagination: toPagination(page) };
    },
  );
};

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

const createUser: Route = (app, { users }) => {
  app.post(
    '/api/operator/users',
    {
      config,
      schema: {
        operationId: 'createUser',
        tags,
        summary: 'Create a user',
        description:
          'Once: where there is a user with this name, that one is the response, unchanged, with status 200 and ' +
          '`meta.existing`. Needs the scope operator.',
        body: NewUser,
        response: {
          200: described(UserResponse, 'The user who was there before.'),
          201: described(UserResponse, 'The user just made.'),
          ...errorResponses,
        },
      },
    },
    async ({ body }, reply) => {
      const { user, isNew } = await users.findOrAdd(body.name, body.email);
      const data = toStoreUserRecord(user);
      return isNew ? reply.code(201).send({ data }) : { data, meta: { existing: true } };
    },
  );
};

const getUser: Route = (app, { users }) => {
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
        response: { 200: dataOf(StoreUserSchema, 'The user.'), ...errorResponses },
      },
    },
    async ({ params }) => ({ data: toStoreUserRecord(await users.get(params.name)) }),
  );
};

const deleteUser: Route = (app, { users }) => {
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
        response: { 204: noContent('Removed.'), ...errorResponses },
      },
    },
    async ({ user, params }, reply) => {
      if (params.name === user.name) throw invalidInput('name', 'must not be the user of the calling key');
      await users.retire(params.name);
      return reply.code(204).send(null);
    },
  );
};

export const operatorUserRoutes: readonly Route[] = [listUsers, createUser, getUser, deleteUser];
