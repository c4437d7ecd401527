import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { ConversationMover, movedAtOnce } from '../../src/domain/conversations/conversation-mover.ts';
import { ConversationService } from '../../src/domain/conversations/conversation-service.ts';
import type { Stores, UserStores, UserWriters } from '../../src/domain/shared/stores.ts';
import { TrashService } from '../../src/domain/trash/trash-service.ts';
import type { User } from '../../src/domain/users/user.ts';
import { engines } from '../support/database.ts';
import { type Client, client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';
import { withMembers } from '../support/with-members.ts';

type Data = Record<string, unknown> & { id: string; conversationId: string };
type One = { data: Data };
type Many = { data: Data[] };

const many = 2 * movedAtOnce + 30;

/** What a user sees of a conversation between two transactions. */
interface Seen {
  readonly count: number;
  readonly byId: number;
  readonly found: number;
  readonly topic: number | undefined;
  readonly conversation: boolean;
}

describe.each(engines)('a conversation of many memories on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  let user: User;
  let ids: string[];
  let conversationId: string;
  let between: () => Promise<void>;
  let moved: number[];

  beforeEach(async () => {
    const name = `user-${randomUUID()}`;
    user = await app.storage.users.insert({
      publicId: randomUUID(),
      name,
      email: `${name}@example.test`,
      at: 1,
    });
    http = client(app.url, (await app.services.keys.create(user, { label: 'test' })).apiKey);
    between = async () => undefined;
    moved = [];
    ({ conversationId, ids } = await fill());
  });

  const create = async (body: Record<string, unknown>): Promise<Data> => {
    const made = await http.post<One>('/api/memories', body);
    expect([made.status, made.text]).toEqual([201, made.text]);
    return made.body.data;
  };

  async function fill() {
    const first = await create({ content: 'okapi first', conversationId: 'NEW', topics: ['zoo'] });
    const made = [first];
    const rest = Array.from({ length: many - 1 }, (_, i) => i);
    for (const i of rest.slice(0, 3))
      made.push(await create({ ...bodyOf(i), conversationId: first.conversationId }));
    const parallel = rest.slice(3).map((i) => create({ ...bodyOf(i), conversationId: first.conversationId }));
    made.push(...(await Promise.all(parallel)));
    return { conversationId: first.conversationId, ids: made.map(({ id }) => id) };
  }
  const bodyOf = (i: number) => ({ content: `okapi number ${i}`, topics: ['zoo', `topic ${i % 7}`] });

  /** The stores, with what happens after each transaction, and how many memories each has marked. */
  const watched = (): Stores => ({
    forUser: (of): UserStores => {
      const own = app.services.stores.forUser(of);
      return withMembers(own, {
        transaction: async (body) => {
          let marked = 0;
          const count = (tx: UserWriters) =>
            withMembers(tx, {
              memories: new Proxy(tx.memories, {
                get: (target, key) => {
                  const value = Reflect.get(target, key, target) as unknown;
                  if (typeof value !== 'function') return value;
                  return (...args: unknown[]) => {
                    if (key === 'trash' || key === 'restore') marked += (args[0] as unknown[]).length;
                    return (value as (...all: unknown[]) => unknown).apply(target, args);
                  };
                },
              }),
            });
          const value = await own.transaction((tx) => body(count(tx)));
          moved.push(marked);
          await between();
          return value;
        },
      });
    },
  });
  const { clock } = { clock: { now: () => Date.now() } };
  const conversations = () => new ConversationService({ stores: watched(), clock });
  const trash = () =>
    new TrashService({
      stores: watched(),
      clock,
      bins: { usersWithDue: async () => [], scrub: async () => undefined },
      keepDays: 30,
      forget: () => undefined,
    });
  const entryOf = async (recordId: string): Promise<string> => {
    const entries = (await http.get<Many>('/api/trash?limit=100')).body.data;
    return entries.find((entry) => entry.recordId === recordId)?.id ?? 'none';
  };

  async function look(): Promise<Seen> {
    const stores = app.services.stores.forUser(user);
    const search = await http.get<{ meta: { total: number } }>('/api/memories/search?q=okapi&limit=1');
    return {
      count: await stores.memories.count(),
      byId: (await stores.memories.findMany(ids)).length,
      found: search.body.meta.total,
      topic: (await stores.topics.find('zoo'))?.memoryCount,
      conversation: (await stores.conversations.find(conversationId)) !== undefined,
    };
  }
  const all: Seen = { count: many, byId: many, found: many, topic: many, conversation: true };
  const none: Seen = { count: 0, byId: 0, found: 0, topic: 0, conversation: false };

  it('a conversation of many memories is deleted and restored in bounded steps, between which others are answered and nobody sees half of it', async () => {
    const other = await app.newClient();
    await other.post('/api/memories', { content: 'of another user' });
    const seen: Seen[] = [];
    between = async () => {
      seen.push(await look());
      const theirs = await other.post<One>('/api/memories', { content: 'written in between' });
      expect(theirs.status).toBe(201);
      expect((await other.get<Many>('/api/memories?limit=1')).body.data).toHaveLength(1);
    };
    expect(await look()).toEqual(all);
    await conversations().delete(user, conversationId);
    expect(seen.length).toBeGreaterThan(many / movedAtOnce);
    expect(seen).toEqual(seen.map(() => none));
    expect(Math.max(...moved)).toBeLessThanOrEqual(movedAtOnce);
    expect(moved.reduce((sum, count) => sum + count, 0)).toBe(many);
    seen.length = 0;
    moved.length = 0;
    await trash().restore(user, await entryOf(conversationId));
    expect(seen.length).toBeGreaterThan(2 * (many / movedAtOnce));
    expect(seen.slice(0, -1)).toEqual(seen.slice(0, -1).map(() => none));
    expect(seen.at(-1)).toEqual(all);
    expect(Math.max(...moved)).toBeLessThanOrEqual(movedAtOnce);
    expect(await look()).toEqual(all);
  });

  it('a conversation of many memories is finished by the next start when a stop interrupts its deleting or restoring', async () => {
    const stopAfter = (transactions: number) => {
      let left = transactions;
      between = async () => {
        if (--left < 0) throw new Error('the process ends');
      };
    };
    const resume = async () => {
      const found = await app.services.users.listUnfinished('conversation_move');
      expect(found.map(({ id }) => id)).toEqual([user.id]);
      await new ConversationMover({ stores: app.services.stores, clock }).finish(user);
    };
    stopAfter(2);
    await expect(conversations().delete(user, conversationId)).rejects.toThrow('the process ends');
    expect(await look()).toEqual(none);
    await resume();
    expect(await look()).toEqual(none);
    const entry = await entryOf(conversationId);
    stopAfter(2);
    await expect(trash().restore(user, entry)).rejects.toThrow('the process ends');
    expect(await look()).toEqual(none);
    await resume();
    expect(await look()).toEqual(all);
    expect((await http.get<Many>('/api/trash')).body.data).toEqual([]);
    expect(await app.services.users.listUnfinished('conversation_move')).toEqual([]);
  });

  it('a conversation of many memories is restored with its edges, names, facts and threads, every response as before', async () => {
    const outside = await create({ content: 'outside of it', conversationId: 'NEW' });
    const version = await create({ content: 'rota: Ana', name: 'rota', conversationId: 'NEW' });
    const head = await http.put<One>('/api/memories/named/rota', { content: 'rota: Ben', conversationId });
    expect(head.status).toBe(201);
    const [first, ...others] = ids;
    const last = others.at(-1) ?? first;
    const relate = (from: string, targetMemoryId: string, type: string) =>
      http.post(`/api/memories/${from}/relationships`, { targetMemoryId, type });
    await relate(last, first, 'SUPERSEDES');
    await relate(first, others[5], 'CONTRADICTS');
    await relate(others[150], outside.id, 'SUPERSEDES');
    await http.post('/api/facts', {
      subject: 'okapi',
      predicate: 'eats',
      object: 'leaves',
      memoryId: others[120],
    });
    const thread = await http.post<One>('/api/narratives', { title: 'Okapis', rootMemoryId: others[110] });
    const paths = [
      ...[first, others[5], last, outside.id, version.id].map((id) => `/api/memories/${id}?detail=full`),
      '/api/memories?limit=1000',
      '/api/memories/search?q=okapi&limit=1000&includeSuperseded=true',
      '/api/memories/named/rota/history',
      '/api/topics?limit=100',
      '/api/conversations',
      '/api/facts',
      `/api/narratives/${thread.body.data.id}`,
    ];
    const responses = async () => {
      const texts: string[] = [];
      for (const path of paths)
        texts.push((await http.get(path)).text.replaceAll(/"searchTime":[\d.]+/g, ''));
      const exported = await http.post('/api/memories/export', { limit: 1000, format: 'csv' });
      return [...texts, exported.text];
    };
    const before = await responses();
    expect((await http.delete(`/api/conversations/${conversationId}`)).status).toBe(204);
    const during = await http.get<One>('/api/memories/named/rota');
    expect(during.body.data.content).toBe('rota: Ana');
    expect((await http.get<One>(`/api/memories/${outside.id}`)).body.data.effectiveState).toBe('current');
    const back = await http.post<{ data: { restored: unknown } }>(
      `/api/trash/${await entryOf(conversationId)}/restore`,
    );
    expect(back.body.data.restored).toEqual({ conversations: 1, memories: many + 1 });
    expect(await responses()).toEqual(before);
  });

  it('a conversation of many memories stays in the trash as a whole where the name of one of its memories is taken', async () => {
    const late = await create({ content: 'okapi with a name', name: 'keeper', conversationId });
    expect((await http.delete(`/api/conversations/${conversationId}`)).status).toBe(204);
    const taker = await create({ content: 'took it', name: 'keeper', conversationId: 'NEW' });
    const path = `/api/trash/${await entryOf(conversationId)}/restore`;
    const refused = await http.post<{ code: string }>(path);
    expect([refused.status, refused.body.code]).toEqual([409, 'MEMORY_NAME_CONFLICT']);
    expect(await look()).toMatchObject({ count: 1, byId: 0, found: 0, conversation: false });
    await http.put(`/api/memories/${taker.id}`, { name: '' });
    expect((await http.post(path)).status).toBe(200);
    expect((await http.get<One>('/api/memories/named/keeper')).body.data.id).toBe(late.id);
    expect(await look()).toMatchObject({ count: many + 2, byId: many });
  });

  it('a conversation of many memories is restored with a memory that was deleted before it', async () => {
    const [first] = ids;
    expect((await http.delete(`/api/memories/${first}`)).status).toBe(204);
    expect((await http.delete(`/api/conversations/${conversationId}`)).status).toBe(204);
    const back = await http.post<{ data: { restored: unknown } }>(
      `/api/trash/${await entryOf(first)}/restore`,
    );
    expect(back.body.data.restored).toEqual({ conversations: 1, memories: many });
    expect(await look()).toEqual(all);
  });

  it('a conversation of many memories is restored once by a key that is sent twice', async () => {
    expect((await http.delete(`/api/conversations/${conversationId}`)).status).toBe(204);
    const path = `/api/trash/${await entryOf(conversationId)}/restore`;
    const key = { 'idempotency-key': randomUUID() };
    const first = await http.post(path, undefined, key);
    expect(first.status).toBe(200);
    const second = await http.post(path, undefined, key);
    expect([second.status, second.text]).toEqual([200, first.text]);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(await look()).toEqual(all);
  });

  it('a conversation of many memories keeps their names until it is in the trash: whoever asks for one is shown to try again', async () => {
    await create({ content: 'named', name: 'keeper', conversationId });
    const answers: number[] = [];
    between = async () => {
      const made = await http.post('/api/memories', {
        content: 'new',
        name: 'keeper',
        conversationId: 'NEW',
      });
      answers.push(made.status);
    };
    await conversations().delete(user, conversationId);
    expect(answers.slice(0, -1)).toEqual(answers.slice(0, -1).map(() => 503));
    expect(answers.at(-1)).toBe(201);
  });
});
