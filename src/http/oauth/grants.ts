import { keyScopes } from '../../domain/api-keys/api-key.ts';
import { toIso } from '../../domain/shared/time.ts';
import { type Route, Type } from '../route-plugin.ts';
import { component } from '../schemas/component.ts';
import { dataOf, noContent } from '../schemas/envelope.ts';
import { idParams, oneOf } from '../schemas/query.ts';

const GrantSchema = Type.Object(
  {
    id: Type.String(),
    clientId: Type.String({
      description: 'Address of its metadata document, or the id of its registration.',
    }),
    clientName: Type.String({ description: 'The name that the client gave itself; else its id.' }),
    scopes: Type.Array(oneOf(keyScopes, component('KeyScope'))),
    keyId: Type.String({ description: 'The API key that it was given with, and ends with.' }),
    createdAt: Type.String(),
    expiresAt: Type.String(),
  },
  component('OAuthGrant'),
);

const listGrants: Route = (app, { oauth }) =>
  app.get(
    '/api/oauth/grants',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'listOAuthGrants',
        tags: ['API keys'],
        summary: 'List the clients that OAuth let in',
        description:
          'Grants that were given with the keys of the user, newest first, at most 1,000: connectors of claude.ai, ChatGPT and others ' +
          '(docs/connect.md). Needs the scope admin.',
        response: { 200: dataOf(Type.Array(GrantSchema), 'The grants.') },
      },
    },
    async ({ user }) => ({
      data: (await oauth.grants.list(user)).map(({ createdAt, expiresAt, scopes, ...grant }) => ({
        ...grant,
        scopes: [...scopes],
        createdAt: toIso(createdAt),
        expiresAt: toIso(expiresAt),
      })),
    }),
  );

const endGrant: Route = (app, { oauth }) =>
  app.delete(
    '/api/oauth/grants/:id',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'endOAuthGrant',
        tags: ['API keys'],
        summary: 'End a grant',
        description: 'Its tokens stop working at once; the client must ask again. Needs the scope admin.',
        params: idParams,
        response: { 204: noContent('Ended.') },
      },
    },
    async ({ user, params }, reply) => {
      await oauth.grants.end(user, params.id);
      return reply.code(204).send(null);
    },
  );

/** Grants of OAuth, also while it is off. */
export const grantRoutes: readonly Route[] = [listGrants, endGrant];
