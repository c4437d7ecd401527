import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Stores } from '../shared/stores.ts';
import type { KeyStore, KeyWriter, StoredKey } from './api-key.ts';
import { KeyService } from './key-service.ts';

const user = { id: 7, publicId: 'p', name: 'ann' };

/** Keeps keys in a list; `touch` fails while `isDown`. */
class FakeKeys implements KeyStore, KeyWriter {
  readonly kept: StoredKey[] = [];
  readonly touched = new Map<string, number>();
  isDown = false;

  async findByPrefix(prefix: string) {
    const key = this.kept.find((each) => each.prefix === prefix);
    return key && { key, owner: user };
  }

  async findById(id: string) {
    const key = this.kept.find((each) => each.id === id);
    return key && { key, owner: user };
  }

  async knownPrefixes(prefixes: readonly string[]) {
    return this.kept.map(({ prefix }) => prefix).filter((prefix) => prefixes.includes(prefix));
  }

  async listOf(userId: number) {
    return this.kept.filter((key) => key.userId === userId);
  }

  async findLabelled(label: string) {
    return this.kept.find((key) => key.label === label);
  }

  async insert(key: Omit<StoredKey, 'userId'>) {
    this.kept.push({ ...key, userId: user.id });
  }

  async revoke(userId: number, id: string, at: number) {
    const index = this.kept.findIndex((key) => key.id === id && key.userId === userId);
    if (index < 0) return false;
    this.kept[index] = { ...this.kept[index], revokedAt: at };
    return true;
  }

  async touch(uses: ReadonlyMap<string, number>) {
    if (this.isDown) throw new Error('down');
    for (const [id, at] of uses) this.touched.set(id, at);
  }
}

describe('the key service', () => {
  let store: FakeKeys;
  let service: KeyService;
  const clock = { time: 1000, now: () => clock.time };
  beforeEach(() => {
    clock.time = 1000;
    store = new FakeKeys();
    const transaction = (body: (tx: unknown) => unknown) => body({ keys: store });
    const stores = { forUser: () => ({ transaction }) } as unknown as Stores;
    service = new KeyService({ keys: store, stores, clock });
  });

  it('the key service makes keys whose secret is stored nowhere', async () => {
    const { apiKey, keyInfo } = await service.create(user, {});
    expect(apiKey).toMatch(/^cmk_live_[0-9a-f]{16}\.[0-9a-f]{64}$/);
    expect(keyInfo).toMatchObject({ prefix: apiKey.split('.')[0], scopes: ['read', 'write', 'admin'] });
    expect(JSON.stringify(store.kept)).not.toContain(apiKey.split('.')[1]);
    expect(await service.authenticate(apiKey)).toMatchObject({ user, key: { id: keyInfo.id } });
  });

  it('the key service knows no key by its public part, a part of its secret, or more than it', async () => {
    const { apiKey } = await service.create(user, {});
    const [prefix] = apiKey.split('.');
    for (const wrong of ['', '.', prefix, `${prefix}.`, apiKey.slice(0, -1), `${apiKey}0`, `x${apiKey}`]) {
      expect(await service.authenticate(wrong), wrong).toBeUndefined();
    }
  });

  it('a key that worked before needs no look among all keys when its address is throttled', async () => {
    const { apiKey } = await service.create(user, {});
    const { apiKey: unused } = await service.create(user, {});
    await service.authenticate(apiKey);
    const looks = vi.spyOn(store, 'knownPrefixes');
    expect(await service.authenticateThrottled(apiKey)).toMatchObject({ user });
    expect(looks).not.toHaveBeenCalled();
    expect(await service.authenticateThrottled(unused)).toMatchObject({ user });
    expect(looks).toHaveBeenCalledTimes(1);
  });

  it('the key service ends a key at its expiry and at once when it is revoked', async () => {
    const brief = await service.create(user, { expiresAt: 1500 });
    clock.time = 1499;
    expect(await service.authenticate(brief.apiKey)).toBeDefined();
    clock.time = 1500;
    // Requests of one turn of the event loop share a lookup.
    await nextTurn();
    expect(await service.authenticate(brief.apiKey)).toBeUndefined();
    await expect(service.create(user, { expiresAt: 1500 })).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    const other = await service.create(user, {});
    expect(await service.authenticate(other.apiKey)).toBeDefined();
    await service.revoke(user, other.keyInfo.id);
    expect(await service.authenticate(other.apiKey)).toBeUndefined();
    await expect(service.revoke({ ...user, id: 8 }, brief.keyInfo.id)).rejects.toMatchObject({
      code: 'API_KEY_NOT_FOUND',
    });
  });

  it('the key service writes down the last use later, and again when that failed', async () => {
    const { apiKey, keyInfo } = await service.create(user, {});
    await service.authenticate(apiKey);
    expect(store.touched.size).toBe(0);
    store.isDown = true;
    await expect(service.flush()).rejects.toThrow('down');
    store.isDown = false;
    await service.flush();
    expect(store.touched.get(keyInfo.id)).toBe(1000);
  });
});
