import { generateKeyPairSync } from 'node:crypto';
import { errors, Provider } from 'oidc-provider';
import type { KeyService } from '../../domain/api-keys/key-service.ts';
import type { OAuthStore } from '../../domain/oauth/oauth-store.ts';
import { oauthScopes } from '../../domain/oauth/oauth-tokens.ts';
import type { Clock } from '../../lib/clock.ts';
import type { FailureLog } from '../../lib/failure-log.ts';
import type { FetchPublic } from '../../lib/net/public-request.ts';
import { documentFetch } from './client-documents.ts';
import { failurePage, pageHeaders } from './consent-page.ts';
import { oauthPaths, resourceOf } from './metadata.ts';
import { RecordAdapter } from './record-adapter.ts';

const daySeconds = 86_400;
/** In seconds. A refresh token that is not used for its time ends; a grant ends after a year in any case. */
const ttl = {
  AccessToken: 3600,
  AuthorizationCode: 60,
  Interaction: 600,
  RefreshToken: 60 * daySeconds,
  Grant: 365 * daySeconds,
  Session: 600,
  IdToken: 600,
};
const documentBytesMax = 16 * 1024;

export interface AuthorizationServerDeps {
  readonly publicUrl: string;
  readonly store: OAuthStore;
  readonly keys: Pick<KeyService, 'authenticateById'>;
  readonly clock: Clock;
  readonly failures: Pick<FailureLog, 'failed'>;
  readonly fetchDocument?: FetchPublic;
}

interface RenderContext {
  type: string;
  body: string;
  set(headers: Readonly<Record<string, string>>): void;
}

/** The library wants a key of its own; nothing is signed with it, for no id tokens are issued. */
function newSigningKey() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' };
}

/** The resource that tokens are for, by every name that clients give it. */
function resourcesOf(publicUrl: string): ReadonlySet<unknown> {
  return new Set([`${publicUrl}/mcp`, `${publicUrl}/mcp/`, publicUrl, `${publicUrl}/`]);
}

function featuresOf(publicUrl: string) {
  const resources = resourcesOf(publicUrl);
  const resource = resourceOf(publicUrl);
  return {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    claimsParameter: { enabled: false },
    registration: { enabled: true, issueRegistrationAccessToken: false },
    revocation: {
      enabled: true,
      // Who revokes the token of another client is told nothing, and nothing ends.
      allowedPolicy: (_context: unknown, client: { clientId: string }, token: { clientId: string }) =>
        token.clientId === client.clientId,
    },
    clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
    resourceIndicators: {
      enabled: true,
      defaultResource: (_context: unknown, _client: unknown, oneOf?: string | readonly string[]) =>
        typeof oneOf === 'string' ? oneOf : (oneOf?.[0] ?? resource),
      useGrantedResource: () => true,
      getResourceServerInfo: (_context: unknown, asked: string) => {
        if (!resources.has(asked)) throw new errors.InvalidTarget();
        return { scope: oauthScopes.join(' '), audience: resource, accessTokenFormat: 'opaque' };
      },
    },
  };
}

/** The authorization server at `publicUrl`: OAuth 2.1 with S256, rotation of refresh tokens, and no stored logins. */
export function newAuthorizationServer(deps: AuthorizationServerDeps): Provider {
  const { publicUrl, store, keys, clock, failures, fetchDocument } = deps;
  const alreadyUsed = () => new errors.InvalidGrant('already used');
  const { consent, ...routes } = oauthPaths;
  const provider = new Provider(publicUrl, {
    adapter: (model: string) => new RecordAdapter(model, { store, clock, alreadyUsed }),
    clientAuthMethods: ['none', 'private_key_jwt'],
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    responseTypes: ['code'],
    scopes: [],
    claims: {},
    jwks: { keys: [newSigningKey()] },
    features: featuresOf(publicUrl),
    fetch: documentFetch(fetchDocument),
    fetchResponseBodyLimits: {
      'client_id metadata document': documentBytesMax,
      jwks_uri: documentBytesMax,
      sector_identifier_uri: documentBytesMax,
    },
    pkce: { required: () => true },
    routes,
    ttl,
    cookies: { names: { session: 'oauth_session', interaction: 'oauth_consent', resume: 'oauth_resume' } },
    // Tokens of a key that was revoked or has expired end with it.
    findAccount: async (_context: unknown, keyId: string) =>
      (await keys.authenticateById(keyId)) && { accountId: keyId, claims: () => ({ sub: keyId }) },
    expiresWithSession: () => false,
    issueRefreshToken: (_context: unknown, client: { grantTypeAllowed(type: string): boolean }) =>
      client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: () => true,
    revokeGrantPolicy: () => true,
    clientBasedCORS: () => false,
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `${consent}/${uid}` },
    renderError: (context: RenderContext, out: { error: string; error_description?: string }) => {
      context.set(pageHeaders());
      context.type = 'html';
      context.body = failurePage(out.error_description ?? out.error);
    },
  });
  // The public address is in the headers that it is given, whatever the proxy sent.
  provider.proxy = true;
  provider.silent = true;
  provider.on('server_error', (_context, error) => failures.failed('oauth', error));
  return provider;
}
