import { type Route, Type } from '../../route-plugin.ts';
import { ApiKeySchema, toApiKeyRecord } from '../../schemas/api-key.ts';
import { dataOf, errorResponses, noContent } from '../../schemas/envelope.ts';
import { idParams } from '../../schemas/query.ts';
import { createApiKey } from './create-api-key.ts';

const listApiKeys: Route = (app, { keys }) => {
  app.get(
    '/api/apikeys',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'listApiKeys',
        tags: ['API keys'],
        summary: 'List API keys',
        description: 'The keys of the user, newest first, without their secrets. Needs the scope admin.',
        response: { 200: dataOf(Type.Array(ApiKeySchema), 'The keys.'), ...errorResponses },
      },
    },
    async (request) => ({ data: (await keys.list(request.user)).map(toApiKeyRecord) }),
  );
};

const deleteApiKey: Route = (app, { keys }) => {
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
        response: { 204: noContent('Revoked.'), ...errorResponses },
      },
    },
    async (request, reply) => {
      await keys.revoke(request.user, request.params.id);
      return reply.code(204).send(null);
    },
  );
};

const debugUser: Route = (app) => {
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
            }),
            'The user and the scopes of the key.',
          ),
          ...errorResponses,
        },
      },
    },
    async ({ user, apiKey }) => ({
      data: { userId: user.publicId, authMethod: 'api_key', scopes: [...apiKey.scopes] },
    }),
  );
};

export const apiKeyRoutes: readonly Route[] = [listApiKeys, createApiKey, debugUser, deleteApiKey];
