import { oauthScopes } from '../../domain/oauth/oauth-tokens.ts';
import type { Challenge } from '../errors.ts';

/** Paths of the authorization server. */
export const oauthPaths = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
  end_session: '/oauth/end',
  consent: '/oauth/consent',
} as const;

const resourcePath = '/.well-known/oauth-protected-resource';
/** Clients ask with and without the path of the resource behind it. */
export const resourceMetadataPaths = [resourcePath, `${resourcePath}/mcp`] as const;
/** Metadata of the authorization server (RFC 8414, OpenID Connect), by every rule of composing its address. */
export const serverMetadataPaths = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-authorization-server/mcp',
  '/.well-known/openid-configuration',
  '/.well-known/openid-configuration/mcp',
  '/mcp/.well-known/openid-configuration',
] as const;

/** The resource that access tokens are for. */
export const resourceOf = (publicUrl: string) => `${publicUrl}/mcp`;

/** Metadata of the protected resource (RFC 9728). */
export function resourceMetadata(publicUrl: string) {
  return {
    resource: resourceOf(publicUrl),
    authorization_servers: [publicUrl],
    scopes_supported: [...oauthScopes],
    bearer_methods_supported: ['header'],
    resource_name: 'memoryd',
  };
}

/** Metadata of the authorization server (RFC 8414). */
export function serverMetadata(publicUrl: string) {
  return {
    issuer: publicUrl,
    authorization_endpoint: publicUrl + oauthPaths.authorization,
    token_endpoint: publicUrl + oauthPaths.token,
    registration_endpoint: publicUrl + oauthPaths.registration,
    revocation_endpoint: publicUrl + oauthPaths.revocation,
    jwks_uri: publicUrl + oauthPaths.jwks,
    scopes_supported: [...oauthScopes],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
    token_endpoint_auth_signing_alg_values_supported: ['RS256', 'PS256', 'ES256', 'EdDSA'],
    revocation_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  };
}

/** The challenge of a refused request to `/mcp`; undefined if OAuth is off. */
export function challengeFor(publicUrl: string | undefined): Challenge | undefined {
  if (publicUrl === undefined) return undefined;
  return (error) => {
    const parts = [
      ...(error === undefined ? [] : [`error="${error}"`]),
      `resource_metadata="${publicUrl}${resourcePath}/mcp"`,
      `scope="${oauthScopes.join(' ')}"`,
    ];
    return `Bearer ${parts.join(', ')}`;
  };
}
