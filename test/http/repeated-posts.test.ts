import { once } from 'node:events';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '../../src/domain/shared/errors.ts';
import { HOUR_MS } from '../../src/domain/shared/time.ts';
import { fingerprintOf } from '../../src/http/hooks/idempotency-keys.ts';
import { SqlResponseWriter } from '../../src/storage/sql/users/idempotency-store.ts';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { engines } from '../support/database.ts';
import { type Gate, newGate } from '../support/gate.ts';
import type { Client } from '../support/http-client.ts';

describe.each(engines)('a POST sent again on %s', (engine) => {
  let app: AppFixture;
  let http: Client;
  beforeEach(async () => {
    app = await newAppFixture(engine);
    http = await app.newClient();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await app.close();
  });

  const count = async () =>
    (await http.get<{ pagination: { count: number } }>('/api/memories')).body.pagination.count;
  const post = (content: string, key?: string) =>
    http.post('/api/memories', { content }, key === undefined ? {} : { 'idempotency-key': key });
  const distinct = (replies: { text: string }[]) => new Set(replies.map(({ text }) => text)).size;

  /** The next create waits at the gate. */
  function holdNextCreate(): Gate {
    const gate = newGate();
    const { memories } = app.services;
    const create = memories.create.bind(memories);
    vi.spyOn(memories, 'create').mockImplementationOnce((...args) => gate.pass(() => create(...args)));
    return gate;
  }

  /** Sends a create and hangs up while it is being done; returns when the server has seen that. */
  async function giveUp(content: string, gate: Gate): Promise<void> {
    const connected = once(app.server, 'connection') as Promise<[Socket]>;
    const sent = request(`${app.url}/api/memories`, {
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${http.key}`, 'content-type': 'application/json' },
    });
    sent.on('error', () => undefined);
    sent.end(JSON.stringify({ content }));
    const [connection] = await connected;
    await gate.reached;
    const closed = once(connection, 'close');
    sent.destroy();
    await closed;
  }

  describe('with an Idempotency-Key', () => {
    it('a POST sent again with its Idempotency-Key gets the first response, byte for byte, however many arrive together', async () => {
      const all = await Promise.all(Array.from({ length: 16 }, () => post('once', 'k')));
      const later = await post('once', 'k');
      expect([later.status, distinct([...all, later])]).toEqual([201, 1]);
      expect(later.headers.get('idempotency-replayed')).toBe('true');
      expect(await count()).toBe(1);
    });

    it('a POST with an Idempotency-Key is done by one of those who waited when the first failed', async () => {
      const gate = newGate();
      vi.spyOn(app.services.memories, 'create').mockImplementationOnce(() =>
        gate.pass(async () => {
          throw new AppError('STORAGE_UNAVAILABLE', 'Busy.', { retryAfter: 1 });
        }),
      );
      const first = post('once', 'k');
      await gate.reached;
      const others = Array.from({ length: 8 }, () => post('once', 'k'));
      // They wait at the first, or come after it: either way one of them does it.
      gate.open();
      expect((await first).status).toBe(503);
      const replies = await Promise.all(others);
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201));
      expect([distinct(replies), await count()]).toEqual([1, 1]);
    });

    it('a POST with a used Idempotency-Key is refused for another body or path, also while the first is done', async () => {
      const gate = holdNextCreate();
      const first = post('a', 'k');
      await gate.reached;
      const early = post('b', 'k');
      gate.open();
      expect((await first).status).toBe(201);
      const refused = { status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } };
      expect(await early).toMatchObject(refused);
      expect(await post('b', 'k')).toMatchObject(refused);
      expect(await http.post('/api/conversations', { title: 'a' }, { 'idempotency-key': 'k' })).toMatchObject(
        refused,
      );
      expect((await post('a', 'k')).text).toBe((await first).text);
    });

    it('a POST of another user with the same Idempotency-Key is another request', async () => {
      const mine = await post('c', 'k');
      const theirs = await (await app.newClient()).post(
        '/api/memories',
        { content: 'c' },
        { 'idempotency-key': 'k' },
      );
      expect(theirs.status).toBe(201);
      expect(theirs.text).not.toBe(mine.text);
    });

    it('an Idempotency-Key is remembered for a day and no longer', async () => {
      const first = await post('daily', 'k');
      const { clock } = app.services;
      const now = clock.now();
      const time = vi.spyOn(clock, 'now').mockImplementation(() => now + 23 * HOUR_MS);
      expect((await post('daily', 'k')).text).toBe(first.text);
      time.mockImplementation(() => now + 25 * HOUR_MS);
      const second = await post('daily', 'k');
      expect(second.text).not.toBe(first.text);
      expect((await post('daily', 'k')).text).toBe(second.text);
      expect(await count()).toBe(2);
    });

    it('a POST with an Idempotency-Key is not done where its response cannot be stored', async () => {
      vi.spyOn(SqlResponseWriter.prototype, 'save').mockRejectedValueOnce(new Error('disk full'));
      const send = () => http.post('/api/memories', { content: 'kept' }, { 'idempotency-key': 'k' });
      expect((await send()).status).toBe(500);
      expect(await count()).toBe(0);
      expect((await send()).status).toBe(201);
      expect((await send()).status).toBe(201);
      expect(await count()).toBe(1);
    });

    it('a POST with an Idempotency-Key has its response stored with the memory: no crash comes between the two', async () => {
      const { memories, idempotency } = app.services;
      const create = memories.create.bind(memories);
      let stored: unknown;
      vi.spyOn(memories, 'create').mockImplementationOnce(async (user, ...args) => {
        const created = await create(user, ...args);
        stored = await idempotency.find(user, 'k');
        return created;
      });
      const first = await post('whole', 'k');
      expect(stored).toMatchObject({ status: 201, body: first.text });
    });

    it('a POST with an Idempotency-Key is not done when another process was first, and gets the response of that one', async () => {
      const { memories, stores } = app.services;
      const create = memories.create.bind(memories);
      const asked = { method: 'POST', url: '/api/memories', body: { content: 'shared' } };
      const theirs = {
        fingerprint: fingerprintOf(asked),
        status: 201,
        body: '{"data":{}}',
        etag: '"7"',
        createdAt: app.services.clock.now(),
      };
      vi.spyOn(memories, 'create').mockImplementationOnce(async (user, ...args) => {
        await stores.forUser(user).transaction(({ responses }) => responses.save('k', theirs));
        return create(user, ...args);
      });
      const response = await post('shared', 'k');
      expect(response).toMatchObject({ status: 201, text: theirs.body });
      expect(response.headers.get('etag')).toBe('"7"');
      expect(await count()).toBe(0);
    });

    it('an Idempotency-Key may be used again after a body that was refused unread', async () => {
      const key = { 'idempotency-key': 'k' };
      expect((await http.post('/api/memories', { content: '' }, key)).status).toBe(422);
      expect((await http.post('/api/memories', { content: 'mended' }, key)).status).toBe(201);
    });
  });

  describe('without one', () => {
    it('a POST sent again without a key is a new record once the first had its response, or is still waited for', async () => {
      await post('twice');
      await post('twice');
      expect(await count()).toBe(2);
      const gate = holdNextCreate();
      const first = post('twice');
      await gate.reached;
      expect((await post('twice')).status).toBe(201);
      gate.open();
      expect((await first).status).toBe(201);
      expect(await count()).toBe(4);
    });

    it('a POST sent again without a key joins the first whose client gave up while it was done', async () => {
      const gate = holdNextCreate();
      await giveUp('patience', gate);
      const again = post('patience');
      const different = await post('something else');
      gate.open();
      expect((await again).status).toBe(201);
      expect((await again).headers.get('idempotency-replayed')).toBe('true');
      expect(different.headers.get('idempotency-replayed')).toBeNull();
      expect(await count()).toBe(2);
    });

    it('a POST sent again without a key gets the response that its client never got, also long after it was stored', async () => {
      const gate = holdNextCreate();
      await giveUp('patience', gate);
      gate.open();
      await expect.poll(count).toBe(1);
      const [again, third] = [await post('patience'), await post('patience')];
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect([again.status, third.text]).toEqual([201, again.text]);
      expect(await count()).toBe(1);
      const other = await (await app.newClient()).post('/api/memories', { content: 'patience' });
      expect(other.text).not.toBe(again.text);
    });
  });
});
