import { hash } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import type { KeyScope } from '../api-keys/api-key.ts';
import type { Authenticated, KeyService } from '../api-keys/key-service.ts';
import type { OAuthStore } from './oauth-store.ts';

/** Scopes that a connector can be given: those of the tools of `/mcp`. */
export const oauthScopes = ['read', 'write'] as const satisfies readonly KeyScope[];

/** The id under which a record is stored. */
export function recordIdOf(token: string): string {
  return hash('sha256', token, 'hex');
}

/** Tokens have 43 characters and no dot; API keys have one. */
const tokenPattern = /^[\w-]{43}$/;

interface OAuthTokensDeps {
  readonly store: OAuthStore;
  readonly keys: Pick<KeyService, 'authenticateById'>;
  readonly clock: Clock;
}

interface AccessToken {
  readonly aud?: string;
  readonly scope?: string;
}

/** Checks the access tokens that the authorization server issued. */
export class OAuthTokens {
  readonly #deps: OAuthTokensDeps;

  constructor(deps: OAuthTokensDeps) {
    this.#deps = deps;
  }

  /** Whether the text looks like an access token. */
  isToken(text: string): boolean {
    return tokenPattern.test(text);
  }

  /**
   * The user of the token, and the key that was given for it with the scopes that both have.
   * @param audience the resource that is asked; a token for another is unknown here
   */
  async authenticate(token: string, audience: string): Promise<Authenticated | undefined> {
    const { store, keys, clock } = this.#deps;
    const record = await store.find('AccessToken', recordIdOf(token), clock.now());
    if (!record || record.keyId === null) return undefined;
    const { aud, scope = '' } = JSON.parse(record.payload) as AccessToken;
    if (aud !== audience) return undefined;
    const found = await keys.authenticateById(record.keyId);
    if (!found) return undefined;
    const granted = scope.split(' ');
    const scopes = oauthScopes.filter((each) => granted.includes(each) && found.key.scopes.includes(each));
    return { user: found.user, key: { ...found.key, scopes } };
  }
}
