import { beforeEach, describe, expect, it } from 'vitest';
import type { UserRef } from '../../src/domain/shared/user-ref.ts';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

type Data = Record<string, unknown> & { id: string; name: string; topics: string[]; conversationId: string };
type One = { data: Data };
type Many = { data: Data[]; total: number; limit: number; offset: number; count: number; pagination: object };

describe.each(engines)('topics on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  let user: UserRef;

  beforeEach(async () => {
    const before = new Set((await app.services.users.list()).map(({ id }) => id));
    http = await app.newClient();
    const made = (await app.services.users.list()).find(({ id }) => !before.has(id));
    if (!made) throw new Error('no user was made');
    user = made;
  });

  const write = async (topics: readonly string[], extra: object = {}): Promise<Data> => {
    const made = await http.post<One>('/api/memories', { content: 'A memory.', topics, ...extra });
    expect(made.status).toBe(201);
    return made.body.data;
  };
  const topic = (name: string) => http.get<One>(`/api/topics/${encodeURIComponent(name)}`);
  const merge = (sourceTopicId: string, targetTopicId: string) =>
    http.post<One & { code?: string }>('/api/topics/merge', { sourceTopicId, targetTopicId });
  const search = (body: object) => http.post<Many>('/api/topics/search', body);
  const topicsOf = async ({ id }: Data) => (await http.get<One>(`/api/memories/${id}`)).body.data.topics;
  const counts = async () =>
    (await http.get<Many>('/api/topics')).body.data.map(({ name, memoryCount }) => [name, memoryCount]);
  const undoLast = async () => {
    const [last] = await app.services.topicMerges.list(user);
    if (!last) throw new Error('nothing to undo');
    await app.services.topicMerges.undo(user, last.id);
  };

  describe('search', () => {
    const names = async (query: string) => (await search({ query })).body.data.map(({ name }) => name);

    it('a search for topics finds by words and beginnings of the name, whole ones first', async () => {
      await write([
        'rate-limiting',
        'Rate',
        'limits',
        'Pirates',
        'Déjà vu',
        '東京駅',
        'c++',
        'rate limiting ideas',
      ]);
      expect(await names('rate')).toEqual(['Rate', 'rate-limiting', 'rate limiting ideas']);
      expect(await names('LIMIT')).toEqual(['limits', 'rate-limiting', 'rate limiting ideas']);
      expect(await names('limiting rate')).toEqual([
        'rate-limiting',
        'rate limiting ideas',
        'Rate',
        'limits',
      ]);
      expect(await names('deja')).toEqual(['Déjà vu']);
      expect(await names('駅')).toEqual(['東京駅']);
      expect(await names('C++')).toEqual(['c++']);
      expect(await names('nothing')).toEqual([]);
      const best = (await search({ query: 'rate' })).body.data[0];
      const { data } = (await topic('Rate')).body;
      expect(best).toEqual({ ...data, score: 1 });
    });

    it('a search for topics returns pages of a total', async () => {
      await write(['beta 1', 'beta 2', 'beta 3', 'gamma']);
      const page = await search({ query: 'beta', limit: 2, offset: 1 });
      expect(page.status).toBe(200);
      expect({ ...page.body, data: page.body.data.map(({ name }) => name) }).toEqual({
        data: ['beta 2', 'beta 3'],
        meta: { relevanceFloor: 0.08 },
        total: 3,
        limit: 2,
        offset: 1,
      });
      const whole = await search({ query: 'b' });
      expect(whole.body).toMatchObject({ total: 3, limit: 20, offset: 0 });
    });

    it("a search for topics sees nobody else's, and refuses what breaks a rule", async () => {
      await write(['secret']);
      const other = await app.newClient();
      expect((await other.post<Many>('/api/topics/search', { query: 'secret' })).body.total).toBe(0);
      for (const body of [{}, { query: '' }, { query: '  ' }, { query: 'x', limit: 0 }, { query: 7 }])
        expect([body, (await search(body)).status]).toEqual([body, 422]);
    });
  });

  describe('merge', () => {
    it('a merge of topics moves memories, keeps the target once and lets the old name mean the target', async () => {
      const only = await write(['first', 'K8S', 'last']);
      const both = await write(['k8s', 'middle', 'Kubernetes']);
      const targets = await write(['kubernetes']);
      const source = (await topic('k8s')).body.data;
      const target = (await topic('kubernetes')).body.data;
      const merged = await merge(source.id, 'kubernetes');
      expect(merged.status).toBe(200);
      expect(merged.body.data).toEqual({ ...target, count: 3, memoryCount: 3 });
      expect(await topicsOf(only)).toEqual(['first', 'Kubernetes', 'last']);
      expect(await topicsOf(both)).toEqual(['Kubernetes', 'middle']);
      expect(await topicsOf(targets)).toEqual(['kubernetes']);
      expect(await counts()).toEqual([
        ['first', 1],
        ['Kubernetes', 3],
        ['last', 1],
        ['middle', 1],
      ]);
      for (const name of [source.id, 'K8s', target.id])
        expect((await topic(name)).body.data).toEqual(merged.body.data);
      expect((await search({ query: 'k8' })).body.data.map(({ name }) => name)).toEqual(['Kubernetes']);
    });

    it('a merge of topics lets the old name be written and asked for', async () => {
      await write(['old', 'new']);
      await merge('old', 'new');
      const made = await write(['OLD', 'New', 'other']);
      expect(made.topics).toEqual(['new', 'other']);
      const edited = await http.put<One>(`/api/memories/${made.id}`, { topics: ['other', 'old'] });
      expect(edited.body.data.topics).toEqual(['other', 'new']);
      await http.post('/api/memories/bulk-tag', { ids: [made.id], removeTopics: ['old'] });
      expect(await topicsOf(made)).toEqual(['other']);
      await http.post('/api/memories/bulk-tag', { ids: [made.id], addTopics: ['old'] });
      expect(await topicsOf(made)).toEqual(['other', 'new']);
      await http.post('/api/memories/bulk-update', { ids: [made.id], updates: { topics: ['old'] } });
      expect(await topicsOf(made)).toEqual(['new']);
      expect(await counts()).toEqual([['new', 2]]);
      await http.post('/api/narratives', { title: 'Told', rootMemoryId: made.id });
      for (const query of ['topics=old', 'topics=new', 'topics=other']) {
        const said = await http.get<Many>(`/api/narratives?${query}`);
        expect([query, said.body.data.length]).toEqual([query, query === 'topics=other' ? 0 : 1]);
      }
      for (const query of ['topics=old', 'topics=new'])
        expect((await http.get<Many>(`/api/memories?${query}`)).body.data).toHaveLength(2);
      expect((await http.get<Many>('/api/memories?excludeTopics=old')).body.data).toHaveLength(0);
    });

    it('a merge of topics leaves what memories were known to have before it, found by the name of then', async () => {
      const made = await write(['old']);
      await write(['new']);
      await merge('old', 'new');
      for (const [name, ids] of [
        ['old', [made.id]],
        ['new', []],
      ] as const) {
        const asOf = new URLSearchParams({
          topics: name,
          asOfTime: String(made.createdAt),
          includeTopics: 'true',
        });
        const found = await http.get<Many>(`/api/memories/search?${asOf}`);
        expect(found.body.data.map(({ id }) => id)).toEqual(ids);
        for (const { topics } of found.body.data) expect(topics).toEqual(['old']);
      }
    });

    it('a merge of topics refuses a topic with itself, unknown topics and those of others', async () => {
      await write(['one', 'two', 'three']);
      const one = (await topic('one')).body.data;
      for (const [source, target] of [
        ['one', 'one'],
        [one.id, 'ONE'],
      ] as const) {
        const refused = await merge(source, target);
        expect([refused.status, refused.body.code]).toEqual([422, 'INPUT_INVALID']);
      }
      expect((await merge('one', 'nothing')).body.code).toBe('TOPIC_NOT_FOUND');
      expect((await merge('nothing', 'one')).status).toBe(404);
      expect((await http.post('/api/topics/merge', { sourceTopicId: 'one' })).status).toBe(422);
      const other = await app.newClient();
      const foreign = { sourceTopicId: one.id, targetTopicId: 'two' };
      expect((await other.post('/api/topics/merge', foreign)).status).toBe(404);
      await merge('one', 'two');
      expect((await merge('one', 'two')).status).toBe(422);
      expect((await merge('two', 'one')).status).toBe(422);
      expect((await merge('one', 'three')).body.data).toMatchObject({ name: 'three', memoryCount: 1 });
    });

    it('a merge of topics needs a key that may write', async () => {
      const reader = await app.newClient(['read']);
      const body = { sourceTopicId: 'a', targetTopicId: 'b' };
      expect((await reader.post('/api/topics/merge', body)).status).toBe(403);
    });

    it('a merge of topics is completed over hundreds of memories, and says how many', async () => {
      const content = 'Many.';
      for (let i = 0; i < 10; i++)
        await Promise.all(
          Array.from({ length: 25 }, () =>
            http.post('/api/memories', { content, topics: ['many', `m${i}`] }),
          ),
        );
      await write(['target']);
      expect((await merge('many', 'target')).body.data.memoryCount).toBe(251);
      expect((await app.services.topicMerges.list(user))[0]).toMatchObject({
        state: 'done',
        memoriesMoved: 250,
      });
      await undoLast();
      expect((await topic('many')).body.data.memoryCount).toBe(250);
      expect((await topic('target')).body.data.memoryCount).toBe(1);
    });
  });

  describe('undoing a merge', () => {
    /** Every answer that shows topics, as text. */
    const responses = async (memories: readonly Data[], topics: readonly string[]) => {
      const paths = [
        ...memories.flatMap(({ id }) => [`/api/memories/${id}?detail=full`, `/api/memories/${id}/related`]),
        ...topics.map((name) => `/api/topics/${encodeURIComponent(name)}`),
        ...topics.map((name) => `/api/memories?topics=${encodeURIComponent(name)}`),
        '/api/topics?limit=100',
        '/api/memories?limit=100',
        '/api/memories/stats?groupBy=topic',
        '/api/conversations',
      ];
      return Promise.all(paths.map(async (path) => [path, (await http.get(path)).text]));
    };

    it('undoing a merge makes every response what it was', async () => {
      const memories = [
        await write(['x', 'Source', 'y', 'Target']),
        await write(['TARGET', 'source']),
        await write(['SOURCE']),
        await write(['target', 'y']),
        await write(['y']),
      ];
      const names = ['source', 'target', 'x', 'y', (await topic('source')).body.data.id];
      const before = await responses(memories, names);
      await merge('source', 'target');
      expect(await responses(memories, names)).not.toEqual(before);
      await undoLast();
      expect(await responses(memories, names)).toEqual(before);
      expect(await app.services.topicMerges.list(user)).toEqual([]);
      await merge('source', 'target');
      await undoLast();
      expect(await responses(memories, names)).toEqual(before);
    });

    it('undoing merges works in any order of several', async () => {
      const memories = [
        await write(['a', 'S', 'X', 'b']),
        await write(['S', 'T', 'X', 'U']),
        await write(['U', 'S']),
        await write(['T']),
        await write(['X', 'U']),
        await write(['b', 'U', 'T', 'X']),
      ];
      const names = ['S', 'T', 'U', 'X', 'a', 'b'];
      const before = await responses(memories, names);
      const orders = [
        [0, 1, 2],
        [2, 1, 0],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [0, 2, 1],
      ];
      for (const order of orders) {
        await merge('S', 'T');
        await merge('X', 'T');
        await merge('T', 'U');
        expect((await topic('S')).body.data.name).toBe('U');
        const merges = (await app.services.topicMerges.list(user)).toReversed();
        expect(merges.map(({ source }) => source.name)).toEqual(['S', 'X', 'T']);
        for (const i of order) await app.services.topicMerges.undo(user, merges[i]?.id ?? '');
        expect([order, ...(await responses(memories, names))]).toEqual([order, ...before]);
      }
    });

    it('undoing a merge leaves what was changed since', async () => {
      const edited = await write(['source', 'x']);
      const untagged = await write(['source']);
      await write(['target']);
      await merge('source', 'target');
      await http.put(`/api/memories/${edited.id}`, { content: 'Edited.', topics: ['new', 'target'] });
      await http.put(`/api/memories/${untagged.id}`, { topics: ['other'] });
      const later = await write(['source']);
      await undoLast();
      const { content, topics } = (await http.get<One>(`/api/memories/${edited.id}`)).body.data;
      expect({ content, topics }).toEqual({ content: 'Edited.', topics: ['source', 'new'] });
      expect(await topicsOf(untagged)).toEqual(['other']);
      expect(await topicsOf(later)).toEqual(['target']);
      expect((await topic('source')).body.data.memoryCount).toBe(1);
      expect((await topic('target')).body.data.memoryCount).toBe(2);
    });

    it('undoing a merge reaches what was in the trash when it is restored', async () => {
      const before = await write(['y', 'source', 'target']);
      const between = await write(['y', 'Source']);
      await write(['target']);
      const restore = async ({ id }: Data) => {
        const { data } = (await http.get<{ data: { id: string; recordId: string }[] }>('/api/trash')).body;
        const entry = data.find(({ recordId }) => recordId === id);
        expect((await http.post(`/api/trash/${entry?.id}/restore`)).status).toBe(200);
      };
      await http.delete(`/api/memories/${before.id}`);
      await merge('source', 'target');
      expect(await topicsOf(between)).toEqual(['y', 'target']);
      expect((await topic('target')).body.data.memoryCount).toBe(2);
      await restore(before);
      expect(await topicsOf(before)).toEqual(['y', 'target']);
      expect((await topic('target')).body.data.memoryCount).toBe(3);
      await http.delete(`/api/memories/${between.id}`);
      await undoLast();
      expect(await topicsOf(before)).toEqual(['y', 'source', 'target']);
      await restore(between);
      expect(await topicsOf(between)).toEqual(['y', 'Source']);
      expect(await counts()).toEqual([
        ['source', 2],
        ['target', 2],
        ['y', 2],
      ]);
    });

    it('undoing a merge is refused twice', async () => {
      await write(['source', 'target']);
      await merge('source', 'target');
      const [made] = await app.services.topicMerges.list(user);
      await app.services.topicMerges.undo(user, made?.id ?? '');
      await expect(app.services.topicMerges.undo(user, made?.id ?? '')).rejects.toMatchObject({
        code: 'TOPIC_MERGE_NOT_FOUND',
      });
    });
  });

  describe('by topic', () => {
    const byTopic = (body: object) =>
      http.post<Many & { metadata: object }>('/api/conversations/by-topic', body);

    it('conversations come with most memories of it first, then newest activity', async () => {
      const few = await write(['ships'], { conversationId: 'NEW' });
      const many = await write(['ships'], { conversationId: 'NEW' });
      await write(['Ships'], { conversationId: many.conversationId });
      await write(['other'], { conversationId: 'NEW' });
      const gone = await write(['ships'], { conversationId: 'NEW' });
      await http.delete(`/api/memories/${gone.id}`);
      const newest = await write(['ships'], { conversationId: 'NEW' });
      const { id } = (await topic('ships')).body.data;
      const expected = [many, newest, few].map(({ conversationId }) => conversationId);
      for (const topicId of [id, 'SHIPS']) {
        const found = await byTopic({ topicId });
        expect(found.status).toBe(200);
        expect(found.body.data.map((item) => item.id)).toEqual(expected);
        expect(found.body).toMatchObject({ count: 3, metadata: { topicId: id } });
      }
      const first = await byTopic({ topicId: id, limit: 1 });
      expect(first.body.count).toBe(3);
      expect(first.body.data).toEqual([
        (await http.get<One>(`/api/conversations/${many.conversationId}`)).body.data,
      ]);
      await http.delete(`/api/conversations/${many.conversationId}`);
      expect((await byTopic({ topicId: id })).body.count).toBe(2);
    });

    it('conversations of a topic are found by an alias too, and not for others', async () => {
      await write(['old', 'new']);
      const source = (await topic('old')).body.data.id;
      await merge('old', 'new');
      for (const topicId of ['old', source]) expect((await byTopic({ topicId })).body.count).toBe(1);
      expect((await byTopic({ topicId: 'nothing' })).status).toBe(404);
      expect((await byTopic({})).status).toBe(422);
      const other = await app.newClient();
      expect((await other.post('/api/conversations/by-topic', { topicId: source })).status).toBe(404);
    });
  });

  it('topics are related when they are on the same memories', async () => {
    await write(['sea', 'ships', 'salt']);
    await write(['sea', 'ships']);
    await write(['salt', 'pepper']);
    const related = await http.post<Many>('/api/topics/discover-related', { topicId: 'sea' });
    expect(related.body.data.map(({ name, relationshipType }) => [name, relationshipType])).toEqual([
      ['ships', 'co-occurrence'],
      ['salt', 'co-occurrence'],
      ['pepper', 'indirect'],
    ]);
    const strengths = related.body.data.map(({ strength }) => Number(strength));
    expect(strengths).toEqual([1, expect.any(Number), expect.any(Number)]);
    expect(strengths).toEqual(strengths.toSorted((a, b) => b - a));
    expect(strengths[2]).toBeGreaterThan(0);
    const first = await http.post<Many>('/api/topics/discover-related', { topicId: 'sea', limit: 1 });
    expect(first.body.data).toHaveLength(1);
    expect((await http.post('/api/topics/discover-related', { topicId: 'none' })).status).toBe(404);
  });
});
