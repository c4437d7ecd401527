import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type DispatchFunc, inject } from 'light-my-request';
import type { Provider } from 'oidc-provider';
import { oauthScopes } from '../../domain/oauth/oauth-tokens.ts';
import type { Route } from '../route-plugin.ts';
import { toClientMetadata } from './client-documents.ts';
import { decideConsent, showConsent } from './consent.ts';
import {
  oauthPaths,
  resourceMetadata,
  resourceMetadataPaths,
  serverMetadata,
  serverMetadataPaths,
} from './metadata.ts';

const bodyLimit = 16 * 1024;
const metadataSeconds = 300;
const form = 'application/x-www-form-urlencoded';
/** Headers of the connection; the library does not get them. */
const ofConnection = [
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
];
const registered = [
  'client_name',
  'client_uri',
  'logo_uri',
  'redirect_uris',
  'grant_types',
  'response_types',
  'application_type',
  'contacts',
  'policy_uri',
  'tos_uri',
];
const redirectsMax = 10;

/** Parameters that belong to id tokens, which this server does not issue; with them the library refuses a request. */
const ofIdTokens = ['nonce', 'max_age', 'acr_values', 'claims', 'claims_locales', 'id_token_hint'];

/** The request for authorization with scopes that exist: those that the client asks, or all if it names none. */
function authorizationUrl({ url }: FastifyRequest): string {
  const [path, query = ''] = url.split(/\?(.*)/s);
  const params = new URLSearchParams(query);
  const asked = (params.get('scope') ?? '').split(' ');
  const known = oauthScopes.filter((scope) => asked.includes(scope));
  params.set('scope', (known.length > 0 ? known : oauthScopes).join(' '));
  for (const name of ofIdTokens) params.delete(name);
  return `${path}?${params}`;
}

/** The metadata that a client registers: no secret, no scope, no address that this server would fetch. */
function registration({ body }: FastifyRequest): string {
  const given = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const kept = Object.fromEntries(Object.entries(given).filter(([name]) => registered.includes(name)));
  const { redirect_uris: redirects } = kept;
  if (Array.isArray(redirects)) kept.redirect_uris = redirects.slice(0, redirectsMax);
  return JSON.stringify({ ...toClientMetadata(kept), token_endpoint_auth_method: 'none' });
}

interface PassedOn {
  readonly url?: string;
  readonly payload?: string;
}

/** Has the library answer a request, whose address is the public one, whatever a proxy says. */
async function passOn(
  provider: Provider,
  publicUrl: string,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { url = request.url, payload }: PassedOn,
): Promise<FastifyReply> {
  const { host, protocol } = new URL(publicUrl);
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => !ofConnection.includes(name)),
  );
  const response = await inject(provider.callback() as DispatchFunc, {
    method: request.method as 'GET' | 'POST',
    url,
    headers: { ...headers, host, 'x-forwarded-proto': protocol.slice(0, -1) },
    payload,
    remoteAddress: request.ip,
  });
  reply.code(response.statusCode);
  for (const [name, value] of Object.entries(response.headers))
    if (value !== undefined && !ofConnection.includes(name)) reply.header(name, value);
  return reply.serializer((body: unknown) => body as string).send(response.payload);
}

/** Both metadata documents, which clients read from any page. */
function metadataRoutes(app: FastifyInstance, publicUrl: string): void {
  const send = (paths: readonly string[], document: object) => {
    for (const path of paths)
      app.get(path, async (_request, reply) =>
        reply
          .header('Cache-Control', `public, max-age=${metadataSeconds}`)
          .header('Access-Control-Allow-Origin', '*')
          .send(document),
      );
  };
  send(resourceMetadataPaths, resourceMetadata(publicUrl));
  send(serverMetadataPaths, serverMetadata(publicUrl));
}

/** The requests that the library answers, with the edits that this server makes. */
function passedRoutes(app: FastifyInstance, provider: Provider, publicUrl: string): void {
  const passing = (edit: (request: FastifyRequest) => PassedOn = () => ({})) =>
    rateLimited(app, (request, reply) => passOn(provider, publicUrl, { request, reply }, edit(request)));
  const asSent = ({ body }: FastifyRequest) => ({ payload: typeof body === 'string' ? body : '' });
  app.get(
    oauthPaths.authorization,
    passing((request) => ({ url: authorizationUrl(request) })),
  );
  app.get(`${oauthPaths.authorization}/:uid`, passing());
  app.get(oauthPaths.jwks, passing());
  app.post(
    oauthPaths.registration,
    passing((request) => ({ payload: registration(request) })),
  );
  app.post(oauthPaths.token, passing(asSent));
  app.post(oauthPaths.revocation, passing(asSent));
}

type Act = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Every request counts against the limits of its address. */
const rateLimited = (app: FastifyInstance, act: Act) => ({
  bodyLimit,
  handler: (request: FastifyRequest, reply: FastifyReply) => {
    app.rateLimits.noteStranger(request.ip);
    return act(request, reply);
  },
});

type LoadServer = () => Promise<typeof import('./authorization-server.ts')>;
const loadServer: LoadServer = () => import('./authorization-server.ts');

/**
 * OAuth 2.1 for `/mcp` at the address `publicUrl`. The library is loaded at the start, which fails with it: Node keeps an
 * import that failed, so that a later one in the same process would fail again.
 */
export const oauthRoutes =
  (publicUrl: string, load: LoadServer = loadServer): Route =>
  (outer, services) => {
    outer.register(async (app) => {
      const { newAuthorizationServer } = await load();
      const { keys, clock, oauth } = services;
      const provider = newAuthorizationServer({ publicUrl, keys, clock, ...oauth });
      app.addHook('onRoute', (route) => {
        route.config = { ...route.config, public: true };
        route.schema = { ...route.schema, hide: true };
      });
      metadataRoutes(app, publicUrl);
      app.addContentTypeParser(form, { parseAs: 'string', bodyLimit }, (_request, body, done) =>
        done(null, body),
      );
      passedRoutes(app, provider, publicUrl);
      const consent = { provider, keys, limits: app.rateLimits };
      const path = `${oauthPaths.consent}/:uid`;
      app.get(
        path,
        rateLimited(app, (request, reply) => showConsent(consent, request, reply)),
      );
      app.post(
        path,
        rateLimited(app, (request, reply) => decideConsent(consent, request, reply)),
      );
    });
  };
