import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OAuthRecord, OAuthStore, RecordBound } from '../../src/domain/oauth/oauth-store.ts';
import { recordIdOf } from '../../src/domain/oauth/oauth-tokens.ts';
import { DAY_MS } from '../../src/domain/shared/time.ts';
import { oauthRoutes } from '../../src/http/oauth/oauth-routes.ts';
import { RecordAdapter } from '../../src/http/oauth/record-adapter.ts';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { engines } from '../support/database.ts';
import { poll } from '../support/poll.ts';
import { readRows } from '../support/run-statement.ts';

const origin = 'https://memory.example.test';
const redirect = 'https://claude.ai/api/mcp/auth_callback';

describe.each(engines)('bounds of OAuth on %s', (engine) => {
  let app: AppFixture;
  let now = Date.UTC(2026, 10, 28);
  beforeAll(async () => {
    const clock = { now: () => now };
    app = await newAppFixture(engine, { MEMORYD_PUBLIC_URL: origin }, { clock });
  });
  afterAll(() => app?.close());

  /** A record whose id says which it is. */
  const recordOf = (model: string, name: string, expiresAt: number): OAuthRecord => ({
    model,
    id: recordIdOf(name),
    payload: '{}',
    grantId: null,
    keyId: null,
    createdAt: now,
    expiresAt,
    consumedAt: null,
  });
  /** A few at a time: a statement waits some seconds at most for one of the few connections. */
  const saveAll = async (records: readonly OAuthRecord[]) => {
    for (let at = 0; at < records.length; at += 50)
      await Promise.all(records.slice(at, at + 50).map((record) => app.storage.oauth.save(record, [])));
  };
  /** Those that are stored, expired or not. */
  const left = async (model: string, names: readonly string[]) => {
    const stored = await readRows(
      { engine, url: app.databaseUrl },
      `SELECT id FROM oauth_records WHERE model = '${model}'`,
    );
    const ids = new Set(stored.map(({ id }) => id));
    return names.filter((name) => ids.has(recordIdOf(name)));
  };
  const adapterOf = (model: string, store: OAuthStore = app.storage.oauth) =>
    new RecordAdapter(model, {
      store,
      clock: { now: () => now },
      alreadyUsed: () => new Error('used'),
    });

  /** @returns the id of a client that was registered over HTTP */
  async function register(): Promise<string> {
    const response = await fetch(`${app.url}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Claude', redirect_uris: [redirect] }),
    });
    expect(response.status).toBe(201);
    return ((await response.json()) as { client_id: string }).client_id;
  }
  /** Whether the client is led to the consent page. */
  async function isKnown(clientId: string): Promise<boolean> {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirect,
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
      scope: 'read',
    });
    const response = await fetch(`${app.url}/oauth/authorize?${query}`, { redirect: 'manual' });
    return response.headers.get('location')?.includes('/oauth/consent/') ?? false;
  }

  it('of clients without a grant 1,000 stay, and they displace none with a grant', async () => {
    const names = Array.from({ length: 1000 }, (_, i) => `stranger ${i}`);
    await saveAll([
      ...names.map((name, i) => recordOf('Client', name, now + DAY_MS - 1000 + i)),
      recordOf('Client', 'allowed', now + 365 * DAY_MS),
    ]);
    const clients = [await register(), await register(), await register()];
    expect(await left('Client', ['allowed', ...names])).toEqual(['allowed', ...names.slice(3)]);
    expect(await left('Client', clients)).toEqual(clients);
    for (const id of clients) expect(await isKnown(id)).toBe(true);
  });

  it('a client registers where 1,000 others are allowed already', async () => {
    const names = Array.from({ length: 1000 }, (_, i) => `allowed ${i}`);
    await saveAll(names.map((name) => recordOf('Client', name, now + 365 * DAY_MS)));
    const id = await register();
    expect(await isKnown(id)).toBe(true);
    expect(await left('Client', names)).toEqual(names);
  });

  it('a key has 100 grants and a grant 100 tokens of a kind: the first to expire go, those of others stay', async () => {
    await app.newClient();
    const [user] = await app.storage.users.list();
    const mine = (await app.services.keys.create(user, {})).keyInfo.id;
    const other = (await app.services.keys.create(user, {})).keyInfo.id;
    const grants = adapterOf('Grant');
    await grants.upsert('other', { accountId: other, clientId: 'c' }, 10);
    for (let i = 0; i < 102; i++)
      await grants.upsert(`grant ${i}`, { accountId: mine, clientId: 'c' }, 100 + i);
    const listed = await app.services.oauth.grants.list(user);
    expect(listed.filter(({ keyId }) => keyId === mine)).toHaveLength(100);
    expect(await left('Grant', ['other', 'grant 0', 'grant 1', 'grant 2'])).toEqual(['other', 'grant 2']);
    const tokens = adapterOf('AccessToken');
    const token = { accountId: mine, clientId: 'c' };
    await tokens.upsert('of another grant', { ...token, grantId: 'grant 3' }, 10);
    for (let i = 0; i < 102; i++)
      await tokens.upsert(`token ${i}`, { ...token, grantId: 'grant 2' }, 100 + i);
    expect(await left('AccessToken', ['of another grant', 'token 1', 'token 2'])).toEqual([
      'of another grant',
      'token 2',
    ]);
  });

  it('of open consents 10,000 stay, of every other kind 100,000', async () => {
    const bounds: RecordBound[] = [];
    const store = {
      save: async (_record: OAuthRecord, given: readonly RecordBound[]) => void bounds.push(...given),
    } as unknown as OAuthStore;
    for (const model of ['Interaction', 'ReplayDetection'])
      await adapterOf(model, store).upsert('id', {}, 60);
    expect(bounds).toEqual([
      { model: 'Interaction', max: 10_000 },
      { model: 'ReplayDetection', max: 100_000 },
    ]);
  });

  it('the job of every hour removes what has expired, and nothing else', async () => {
    const expired = Array.from({ length: 2500 }, (_, i) => `expired ${i}`);
    await saveAll([
      ...expired.map((name, i) => recordOf(i % 2 === 0 ? 'Interaction' : 'AccessToken', name, now + 1)),
      recordOf('Interaction', 'valid', now + 2 * DAY_MS),
    ]);
    now += DAY_MS;
    app.startUpkeep();
    await poll('expired records are removed', async () => {
      const kept = await readRows(
        { engine, url: app.databaseUrl },
        `SELECT 1 FROM oauth_records WHERE expires_at <= ${now}`,
      );
      return kept.length === 0 || undefined;
    });
    expect(await left('Interaction', ['valid'])).toEqual(['valid']);
    expect(await left('Client', ['allowed'])).toEqual(['allowed']);
  });
});

it('a service whose library of OAuth cannot be loaded does not start, in place of refusing connections', async () => {
  const app = Fastify();
  const failed = () => Promise.reject(new Error('EMFILE: too many open files'));
  app.register(async (outer) => void oauthRoutes(origin, failed)(outer as never, {} as never));
  await expect(app.ready()).rejects.toThrow('EMFILE');
  await app.close();
});
