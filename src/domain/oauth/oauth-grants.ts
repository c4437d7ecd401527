import type { Clock } from '../../lib/clock.ts';
import { type KeyScope, keyScopes } from '../api-keys/api-key.ts';
import { notFound } from '../shared/errors.ts';
import type { EpochMs } from '../shared/time.ts';
import type { UserRef } from '../shared/user-ref.ts';
import type { OAuthRecord, OAuthStore } from './oauth-store.ts';
import { recordIdOf } from './oauth-tokens.ts';

/** The permission of a client to use `/mcp`, which a person gave with an API key. */
export interface OAuthGrant {
  readonly id: string;
  readonly clientId: string;
  /** The name that the client registered: a text of a stranger. Else its id. */
  readonly clientName: string;
  readonly scopes: readonly KeyScope[];
  readonly keyId: string;
  readonly createdAt: EpochMs;
  readonly expiresAt: EpochMs;
}

interface GrantPayload {
  readonly clientId?: string;
  readonly resources?: Readonly<Record<string, string>>;
}

/** Lists and ends the grants of a user. */
export class OAuthGrants {
  readonly #store: OAuthStore;
  readonly #clock: Clock;

  constructor({ store, clock }: { readonly store: OAuthStore; readonly clock: Clock }) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Grants of valid keys, the newest first, at most 1,000. */
  async list(user: UserRef): Promise<OAuthGrant[]> {
    const records = await this.#store.listGrants(user.id, this.#clock.now());
    const grants: OAuthGrant[] = [];
    for (const record of records) grants.push(await this.#toGrant(record));
    return grants;
  }

  /** Ends a grant with its tokens, effective at once. @throws 404 */
  async end(user: UserRef, id: string): Promise<void> {
    if (!(await this.#store.endGrant(user.id, id))) throw notFound('grant');
  }

  async #toGrant({ id, payload, keyId, createdAt, expiresAt }: OAuthRecord): Promise<OAuthGrant> {
    const { clientId = '', resources = {} } = JSON.parse(payload) as GrantPayload;
    const granted = Object.values(resources).flatMap((scopes) => scopes.split(' '));
    const client = await this.#store.find('Client', recordIdOf(clientId), this.#clock.now());
    const { client_name: name } = client ? (JSON.parse(client.payload) as { client_name?: string }) : {};
    return {
      id,
      clientId,
      clientName: name ?? clientId,
      keyId: keyId ?? '',
      createdAt,
      expiresAt,
      scopes: keyScopes.filter((scope) => granted.includes(scope)),
    };
  }
}
