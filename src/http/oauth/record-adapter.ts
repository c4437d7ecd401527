import type { Adapter, Payload } from 'oidc-provider';
import type { OAuthRecord, OAuthStore, RecordBound } from '../../domain/oauth/oauth-store.ts';
import { recordIdOf } from '../../domain/oauth/oauth-tokens.ts';
import { DAY_MS } from '../../domain/shared/time.ts';
import type { Clock } from '../../lib/clock.ts';

/** A registered client without a grant is forgotten after this; a grant keeps it. claude.ai registers at each connection. */
const clientLifetimeMs = DAY_MS;
const grantsPerKeyMax = 100;
const tokensPerGrantMax = 100;
/** Clients without a grant. */
const strangersMax = 1000;
const consentsMax = 10_000;
const otherRecordsMax = 100_000;

/** A registration without a grant never displaces a client with one, and clients with grants never displace those without. */
function boundsOf({ model, keyId, grantId, createdAt }: OAuthRecord): RecordBound[] {
  if (model === 'Client')
    return [
      { model, expiringBy: createdAt + clientLifetimeMs, max: strangersMax },
      { model, max: otherRecordsMax },
    ];
  if (model === 'Grant' && keyId !== null)
    return [{ model, of: { column: 'keyId', value: keyId }, max: grantsPerKeyMax }];
  if (grantId !== null) return [{ model, of: { column: 'grantId', value: grantId }, max: tokensPerGrantMax }];
  return [{ model, max: model === 'Interaction' ? consentsMax : otherRecordsMax }];
}

export interface RecordAdapterDeps {
  readonly store: OAuthStore;
  readonly clock: Clock;
  /** Made of the library, which is loaded late. */
  readonly alreadyUsed: () => Error;
}

/**
 * Stores the records of `oidc-provider`. Ids, which are tokens and codes, are hashed. Sessions are not stored: a
 * person gives a key for each client, and no browser stays logged in.
 */
export class RecordAdapter implements Adapter {
  readonly #model: string;
  readonly #deps: RecordAdapterDeps;

  constructor(model: string, deps: RecordAdapterDeps) {
    this.#model = model;
    this.#deps = deps;
  }

  async upsert(id: string, { jti: _token, ...payload }: Payload, expiresInSeconds?: number): Promise<void> {
    const model = this.#model;
    if (model === 'Session') return;
    const { store, clock } = this.#deps;
    const createdAt = clock.now();
    const expiresAt =
      createdAt + (expiresInSeconds === undefined ? clientLifetimeMs : expiresInSeconds * 1000);
    const keyId = payload.accountId ?? null;
    const grantId =
      payload.grantId === undefined || model === 'Interaction' ? null : recordIdOf(payload.grantId);
    const record = {
      model,
      id: recordIdOf(id),
      payload: JSON.stringify(payload),
      grantId,
      keyId,
      createdAt,
      expiresAt,
      consumedAt: null,
    };
    await store.save(record, boundsOf(record));
    if (model === 'Grant' && payload.clientId !== undefined)
      await store.extend('Client', recordIdOf(payload.clientId), expiresAt);
  }

  async find(id: string): Promise<Payload | undefined> {
    if (this.#model === 'Session') return undefined;
    const { store, clock } = this.#deps;
    const record = await store.find(this.#model, recordIdOf(id), clock.now());
    if (!record) return undefined;
    const payload = JSON.parse(record.payload) as Payload;
    // A client has no such member.
    const named = this.#model === 'Client' ? payload : { ...payload, jti: id };
    if (record.consumedAt === null) return named;
    return { ...named, consumed: Math.floor(record.consumedAt / 1000) };
  }

  async findByUid(): Promise<undefined> {
    return undefined;
  }

  async findByUserCode(): Promise<undefined> {
    return undefined;
  }

  async consume(id: string): Promise<void> {
    const { store, clock, alreadyUsed } = this.#deps;
    // Of two requests with one code or refresh token, one gets tokens.
    if (!(await store.consume(this.#model, recordIdOf(id), clock.now()))) throw alreadyUsed();
  }

  destroy(id: string): Promise<void> {
    return this.#deps.store.remove(this.#model, recordIdOf(id));
  }

  revokeByGrantId(grantId: string): Promise<void> {
    return this.#deps.store.removeOfGrant(recordIdOf(grantId));
  }
}
