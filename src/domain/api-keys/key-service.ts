import { hash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.ts';
import { AppError, invalidInput } from '../shared/errors.ts';
import type { Stores } from '../shared/stores.ts';
import { type EpochMs, toIso } from '../shared/time.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { type KeyedAct, type Write, writeAs } from '../shared/write.ts';
import {
  type ApiKey,
  type KeyScope,
  type KeyStore,
  type KeyWithOwner,
  keyScopes,
  ownScopes,
  type StoredKey,
} from './api-key.ts';

const keyFamily = 'cmk_live_';
const prefixBytes = 8;
const secretBytes = 32;
/** Length of a SHA-256 hash in hexadecimal digits. */
const hashLength = 64;
const seenMax = 10_000;

interface KeyServiceDeps {
  readonly keys: KeyStore;
  readonly stores: Stores;
  readonly clock: Clock;
}

interface NewKeyFields {
  readonly label?: string;
  /** Default: the expiry of the creating key, or never. */
  readonly expiresAt?: EpochMs;
  /**
   * Default: read, write and admin, limited to the scopes of
   * the creating key. `operator` must be requested by name.
   */
  readonly scopes?: readonly KeyScope[];
  /** Default: the limit of the creating key, or none. */
  readonly requestsPerMinute?: number;
}

/** The key that authenticates a request for another key. */
type MakingKey = Pick<ApiKey, 'scopes' | 'expiresAt' | 'requestsPerMinute'>;

/** A new key: the only time that its secret is known. */
export interface CreatedKey {
  readonly apiKey: string;
  readonly keyInfo: ApiKey;
}

/** An existing key, or a new one with its secret. */
type EnsuredKey = CreatedKey | { readonly apiKey?: undefined; readonly keyInfo: ApiKey };

export interface Authenticated {
  readonly user: UserRef;
  readonly key: ApiKey;
}

const ownScopesOf = ({ scopes }: MakingKey) => ownScopes.filter((scope) => scopes.includes(scope));

function hashOf(secret: string): string {
  return hash('sha256', secret, 'hex');
}

const comparedHash = Buffer.alloc(hashLength);
const expectedHash = Buffer.alloc(hashLength);

/** Compares in constant time. The buffers are reused: allocating them took longer than the hash. */
function isSameHash(one: string, other: string): boolean {
  if (one.length !== hashLength || other.length !== hashLength) return false;
  comparedHash.write(one, 'latin1');
  expectedHash.write(other, 'latin1');
  return timingSafeEqual(comparedHash, expectedHash);
}

/** Splits a key into its public part and its secret; the secret is empty if the key has no dot. */
function splitKey(key: string): { readonly prefix: string; readonly secret: string } {
  const dot = key.indexOf('.');
  return dot < 0 ? { prefix: key, secret: '' } : { prefix: key.slice(0, dot), secret: key.slice(dot + 1) };
}

const hex = (bytes: number) => randomBytes(bytes).toString('hex');
const newSecret = () => `${keyFamily}${hex(prefixBytes)}.${hex(secretBytes)}`;

/**
 * The fields with the expiry and the limit of the creating key as defaults.
 * @throws 422 if the new key would outlive the creating key, or could make more requests a minute
 */
function within<T extends NewKeyFields>(
  { expiresAt: end, requestsPerMinute: most }: MakingKey,
  fields: T,
): T {
  const { expiresAt = end ?? undefined, requestsPerMinute = most ?? undefined } = fields;
  if (end !== null && expiresAt !== undefined && expiresAt > end)
    throw invalidInput('expiresAt', `must be no later than that of the key that makes it, ${toIso(end)}`);
  if (most !== null && requestsPerMinute !== undefined && requestsPerMinute > most)
    throw invalidInput('requestsPerMinute', `must be at most that of the key that makes it, ${most}`);
  return { ...fields, expiresAt, requestsPerMinute };
}

interface NewKey {
  readonly stored: Omit<StoredKey, 'userId'>;
  readonly shown: CreatedKey;
}

/** @throws 422 if the expiry is in the past */
function newKey(
  { id: userId }: UserRef,
  apiKey: string,
  { label = 'API key', expiresAt, scopes = ownScopes, requestsPerMinute }: NewKeyFields,
  now: EpochMs,
): NewKey {
  if (expiresAt !== undefined && expiresAt <= now) throw invalidInput('expiresAt', 'must be in the future');
  const { prefix, secret } = splitKey(apiKey);
  const fields = {
    id: randomUUID(),
    prefix,
    label,
    scopes: keyScopes.filter((scope) => scopes.includes(scope)),
    createdAt: now,
    expiresAt: expiresAt ?? null,
    lastUsedAt: null,
    requestsPerMinute: requestsPerMinute ?? null,
  };
  const stored = { ...fields, secretHash: hashOf(secret), revokedAt: null };
  return { stored, shown: { apiKey, keyInfo: { ...fields, userId } } };
}

export class KeyService {
  readonly #keys: KeyStore;
  readonly #stores: Stores;
  readonly #clock: Clock;
  readonly #uses = new Map<string, EpochMs>();
  readonly #noHash = randomBytes(hashLength / 2).toString('hex');
  /** Public parts of keys that authenticated recently. */
  readonly #seen = new LRUCache<string, true>({ max: seenMax });
  readonly #prefixes: PrefixLookup;
  /** Lookups of this turn of the event loop, by key. */
  #turn: Map<string, Promise<Authenticated | undefined>> | undefined;
  readonly #endTurn = () => {
    this.#turn = undefined;
  };

  constructor({ keys, stores, clock }: KeyServiceDeps) {
    this.#keys = keys;
    this.#prefixes = new PrefixLookup(keys);
    this.#stores = stores;
    this.#clock = clock;
  }

  /**
   * Authenticates a key; undefined if it is unknown, expired or revoked. An unknown key costs the same work.
   *
   * Requests that were read from their sockets in the same turn of the event loop share a lookup. They
   * were all sent before that lookup, so a key revoked or expired before a request is never accepted.
   */
  authenticate(key: string): Promise<Authenticated | undefined> {
    const known = this.#turn?.get(key);
    if (known) return known;
    const found = this.#check(key);
    if (this.#turn) this.#turn.set(key, found);
    else {
      // A map that is cleared in each turn would keep its former
      // entries alive until a full collection, as in `LinkedList`.
      this.#turn = new Map<string, typeof found>().set(key, found);
      setImmediate(this.#endTurn);
    }
    return found;
  }

  /** Whether the key is valid now; does not count as a use. */
  async isKnown(key: string): Promise<boolean> {
    return (await this.#find(key)) !== undefined;
  }

  /**
   * Like `authenticate`, for a client that failed too often. Only keys with an
   * existing public part get a lookup of their own; all others share one lookup
   * per 50 ms, so a flood of wrong keys costs the store next to nothing.
   */
  async authenticateThrottled(key: string): Promise<Authenticated | undefined> {
    const { prefix, secret } = splitKey(key);
    if (secret === '') return undefined;
    const isSeen = this.#seen.get(prefix) === true;
    if (!isSeen && !(await this.#prefixes.isKnown(prefix))) return undefined;
    return this.authenticate(key);
  }

  async #check(key: string): Promise<Authenticated | undefined> {
    const found = await this.#find(key);
    if (found) {
      this.#uses.set(found.key.id, this.#clock.now());
      this.#seen.set(found.key.prefix, true);
    }
    return found;
  }

  async #find(key: string): Promise<Authenticated | undefined> {
    const { prefix, secret } = splitKey(key);
    const found = await this.#keys.findByPrefix(prefix);
    const matches = isSameHash(hashOf(secret), found?.key.secretHash ?? this.#noHash);
    return matches ? this.#validNow(found) : undefined;
  }

  #validNow(found: KeyWithOwner | undefined): Authenticated | undefined {
    if (!found || found.key.revokedAt !== null) return undefined;
    if (found.key.expiresAt !== null && found.key.expiresAt <= this.#clock.now()) return undefined;
    return { user: found.owner, key: found.key };
  }

  /**
   * The key with this id, for a grant that its owner gave with it; undefined if it is unknown, expired or
   * revoked. Counts as a use of the key.
   */
  async authenticateById(id: string): Promise<Authenticated | undefined> {
    const found = this.#validNow(await this.#keys.findById(id));
    if (found) this.#uses.set(id, this.#clock.now());
    return found;
  }

  /** API keys of the user, including uses that are not stored yet. */
  async list(user: UserRef): Promise<ApiKey[]> {
    const keys = await this.#keys.listOf(user.id);
    return keys.map((key) => {
      const usedAt = Math.max(key.lastUsedAt ?? 0, this.#uses.get(key.id) ?? 0);
      return usedAt > 0 ? { ...key, lastUsedAt: usedAt } : key;
    });
  }

  /** @throws 422 if the expiry is in the past */
  create(user: UserRef, fields: NewKeyFields, act?: KeyedAct<CreatedKey>): Promise<CreatedKey> {
    return this.adopt(user, newSecret(), fields, act);
  }

  /**
   * Creates a key on behalf of another key, with at most its scopes, its lifetime
   * and its limit. A key that leaks for a minute can do no more harm than in that minute.
   * @throws 403 if `maker` lacks a scope; 422 if the expiry is in the past or later than that of `maker`, or the limit higher
   */
  async createBy(
    maker: MakingKey,
    user: UserRef,
    fields: NewKeyFields,
    act?: KeyedAct<CreatedKey>,
  ): Promise<CreatedKey> {
    const { scopes = ownScopesOf(maker) } = fields;
    const beyond = scopes.find((scope) => !maker.scopes.includes(scope));
    if (beyond !== undefined) {
      const message = `scopes may hold only those of the key that makes it, and it does not have ${beyond}.`;
      throw new AppError('SCOPE_REQUIRED', message);
    }
    return this.create(user, { ...within(maker, fields), scopes }, act);
  }

  /**
   * Returns the user's valid key with this label, or creates it; only a new key comes with its secret.
   * @throws 422 if the expiry is in the past or later than that of `maker`, or the limit higher
   */
  async ensure(
    maker: MakingKey,
    user: UserRef,
    fields: NewKeyFields & { readonly label: string },
  ): Promise<EnsuredKey> {
    const made = newKey(user, newSecret(), within(maker, fields), this.#clock.now());
    return writeAs({ stores: this.#stores, clock: this.#clock }, user, async ({ tx, at }) => {
      const present = await tx.keys.findLabelled(fields.label, at);
      if (present) return { keyInfo: present };
      await tx.keys.insert(made.stored);
      return made.shown;
    });
  }

  /** Stores `apiKey`, chosen by the caller, as a key of the user. */
  async adopt(
    user: UserRef,
    apiKey: string,
    fields: NewKeyFields = {},
    act?: KeyedAct<CreatedKey>,
  ): Promise<CreatedKey> {
    const { stored, shown } = newKey(user, apiKey, fields, this.#clock.now());
    const write = async ({ tx }: Write) => {
      await tx.keys.insert(stored);
      return shown;
    };
    return writeAs({ stores: this.#stores, clock: this.#clock }, user, write, act);
  }

  /** Revokes a key, effective at once. @throws 404 */
  async revoke(user: UserRef, id: string): Promise<void> {
    const revoked = await this.#keys.revoke(user.id, id, this.#clock.now());
    this.#turn = undefined;
    if (!revoked) throw new AppError('API_KEY_NOT_FOUND', 'No such API key.');
  }

  /**
   * Stores the last uses of keys. Called by a periodic job and
   * at the end of the process, so that no request waits for it.
   */
  async flush(): Promise<void> {
    const uses = new Map(this.#uses);
    await this.#keys.touch(uses);
    // Keys used again during the write are written next time.
    for (const [id, at] of uses) if (this.#uses.get(id) === at) this.#uses.delete(id);
  }
}

const lookEveryMs = 50;
const prefixesAtOnce = 500;

interface Look {
  readonly prefixes: Set<string>;
  readonly known: Promise<ReadonlySet<string>>;
}

/** Looks up public parts of keys in batches: all calls within 50 ms share one query. */
export class PrefixLookup {
  readonly #store: Pick<KeyStore, 'knownPrefixes'>;
  #next: Look | undefined;

  constructor(store: Pick<KeyStore, 'knownPrefixes'>) {
    this.#store = store;
  }

  /** Whether a key with this public part exists, valid or not. */
  async isKnown(prefix: string): Promise<boolean> {
    if (!this.#next || this.#next.prefixes.size >= prefixesAtOnce) this.#next = this.#look();
    this.#next.prefixes.add(prefix);
    return (await this.#next.known).has(prefix);
  }

  #look(): Look {
    const prefixes = new Set<string>();
    const known = new Promise<void>((resolve) => setTimeout(resolve, lookEveryMs)).then(async () => {
      if (this.#next?.prefixes === prefixes) this.#next = undefined;
      return new Set(await this.#store.knownPrefixes([...prefixes]));
    });
    return { prefixes, known };
  }
}
