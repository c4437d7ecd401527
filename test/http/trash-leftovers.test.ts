import { describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { useApp, useClient } from '../support/use-app.ts';

type Data = Record<string, unknown> & { id: string; conversationId: string };
type One = { data: Data };
type Many = { data: Data[] };
type Refused = {
  code: string;
  details: { memoryIds: string[]; conversationId?: string; trashEntryIds: string[] };
};

describe.each(engines)('what deleted records leave on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);

  const post = async (path: string, body: object): Promise<Data> => {
    const made = await http.post<One>(path, body);
    expect([made.status < 300, made.text]).toEqual([true, made.text]);
    return made.body.data;
  };
  const create = (content: string, topics: string[] = [], conversationId = 'NEW') =>
    post('/api/memories', { content, topics, conversationId });
  const remove = async (path: string) => expect((await http.delete(path)).status).toBe(204);
  const entryOf = async (recordId: string): Promise<string> => {
    const entries = (await http.get<Many>('/api/trash?limit=100')).body.data;
    return entries.find((entry) => entry.recordId === recordId)?.id ?? 'none';
  };
  const restore = async (recordId: string) =>
    http.post<Refused>(`/api/trash/${await entryOf(recordId)}/restore`);
  const erase = async (recordId: string) => remove(`/api/trash/${await entryOf(recordId)}`);
  const topics = async () =>
    (await http.get<Many>('/api/topics?sortBy=name&order=asc')).body.data.map(({ name }) => name);

  describe('topics', () => {
    it('a topic goes with the last memory that is erased, and comes back with one that is restored', async () => {
      const one = await create('one', ['my divorce', 'garden']);
      const two = await create('two', ['My  Divorce']);
      const ids = async () => (await http.get<Many>('/api/topics')).body.data.map(({ id }) => id).sort();
      const before = await ids();
      await remove(`/api/memories/${one.id}`);
      await remove(`/api/memories/${two.id}`);
      await erase(two.id);
      expect(await topics()).toEqual(['garden', 'my divorce']);
      expect((await restore(one.id)).status).toBe(200);
      expect(await ids()).toEqual(before);
      await remove(`/api/memories/${one.id}`);
      await erase(one.id);
      expect(await topics()).toEqual([]);
      expect((await http.get('/api/topics/my%20divorce')).status).toBe(404);
    });

    it('a topic goes with its conversation', async () => {
      const { conversationId } = await create('one', ['my divorce']);
      await remove(`/api/conversations/${conversationId}`);
      expect(await topics()).toEqual(['my divorce']);
      await erase(conversationId);
      expect(await topics()).toEqual([]);
    });

    it('a topic goes when it is taken off the last memory', async () => {
      const { id } = await create('one', ['tpyo', 'garden']);
      await http.post('/api/memories/bulk-tag', { ids: [id], removeTopics: ['tpyo'] });
      expect(await topics()).toEqual(['garden']);
      await http.put(`/api/memories/${id}`, { topics: [] });
      expect(await topics()).toEqual([]);
    });

    it('a topic that a narrative names stays as long as that is not erased', async () => {
      const memory = await create('one', ['sea']);
      const root = await create('root', ['other']);
      const thread = await post('/api/narratives', {
        title: 't',
        rootMemoryId: root.id,
        topics: ['Sea', 'ice'],
      });
      await remove(`/api/memories/${memory.id}`);
      await erase(memory.id);
      expect(await topics()).toEqual(['other', 'sea']);
      await remove(`/api/narratives/${thread.id}`);
      expect(await topics()).toEqual(['other', 'sea']);
      await erase(thread.id);
      expect(await topics()).toEqual(['other']);
    });

    it('a topic that a narrative names no more goes where no memory has it', async () => {
      const memory = await create('one', ['sea']);
      const root = await create('root');
      const thread = await post('/api/narratives', { title: 't', rootMemoryId: root.id, topics: ['sea'] });
      await http.put(`/api/memories/${memory.id}`, { topics: [] });
      expect(await topics()).toEqual(['sea']);
      await http.patch(`/api/narratives/${thread.id}`, { topics: [] });
      expect(await topics()).toEqual([]);
    });

    it('aliases of a topic go with the topic that they mean, and their merges with them', async () => {
      const [one, two] = [await create('one', ['k8s']), await create('two', ['kubernetes'])];
      await create('three', ['zoo']);
      await post('/api/topics/merge', { sourceTopicId: 'k8s', targetTopicId: 'kubernetes' });
      await remove(`/api/memories/${two.id}`);
      await erase(two.id);
      expect(await topics()).toEqual(['kubernetes', 'zoo']);
      await remove(`/api/memories/${one.id}`);
      expect(await topics()).toEqual(['kubernetes', 'zoo']);
      await erase(one.id);
      expect(await topics()).toEqual(['zoo']);
      expect((await http.get('/api/trash')).text).not.toMatch(/k8s|kubernetes/);
      const again = await create('four', ['k8s']);
      expect(again.topics).toEqual(['k8s']);
    });

    it('a topic that a merge taken back leaves on no memory goes', async () => {
      const [one] = [await create('one', ['k8s']), await create('two', ['kubernetes'])];
      await post('/api/topics/merge', { sourceTopicId: 'k8s', targetTopicId: 'kubernetes' });
      await remove(`/api/memories/${one.id}`);
      await erase(one.id);
      const merge = (await http.get<Many>('/api/trash?kind=topic-merge')).body.data[0];
      expect((await http.post(`/api/trash/${merge.id}/restore`)).status).toBe(200);
      expect(await topics()).toEqual(['kubernetes']);
    });
  });

  it('a fact is not restored before one of its memories, and is shown which', async () => {
    const memory = await create('says it');
    const fact = await post('/api/facts', { subject: 'a', predicate: 'b', object: 'c', memoryId: memory.id });
    await remove(`/api/facts/${fact.id}`);
    await remove(`/api/memories/${memory.id}`);
    const refused = await restore(fact.id);
    expect([refused.status, refused.body.code]).toEqual([409, 'OWNER_IN_TRASH']);
    const { memoryIds, trashEntryIds } = refused.body.details;
    expect([memoryIds, trashEntryIds]).toEqual([[memory.id], [await entryOf(memory.id)]]);
    expect((await http.post(`/api/trash/${trashEntryIds[0]}/restore`)).status).toBe(200);
    expect((await http.get(`/api/facts/${fact.id}`)).status).toBe(404);
    expect((await restore(fact.id)).status).toBe(200);
    expect((await http.get(`/api/facts/${fact.id}`)).status).toBe(200);
  });

  it('an artifact is not restored before its memory or conversation, and is shown which', async () => {
    const memory = await create('owns it');
    const { conversationId } = memory;
    const ofMemory = await post('/api/artifacts', { type: 'code', content: 'x', memoryId: memory.id });
    const ofConversation = await post('/api/artifacts', { type: 'code', content: 'y', conversationId });
    await remove(`/api/artifacts/${ofMemory.id}`);
    await remove(`/api/artifacts/${ofConversation.id}`);
    await remove(`/api/conversations/${conversationId}`);
    const entry = await entryOf(conversationId);
    const refused = await restore(ofMemory.id);
    expect([refused.status, refused.body.code]).toEqual([409, 'OWNER_IN_TRASH']);
    expect(refused.body.details).toMatchObject({ memoryIds: [memory.id], trashEntryIds: [entry] });
    const other = await restore(ofConversation.id);
    expect(other.body.details).toEqual({ memoryIds: [], conversationId, trashEntryIds: [entry] });
    expect((await restore(conversationId)).status).toBe(200);
    for (const { id } of [ofMemory, ofConversation]) {
      expect((await restore(id)).status).toBe(200);
      expect((await http.get(`/api/artifacts/${id}`)).status).toBe(200);
    }
  });

  it('a narrative forgets the memory that it was begun with when that is erased', async () => {
    const [root, next] = [await create('root'), await create('next')];
    const thread = await post('/api/narratives', { title: 't', rootMemoryId: root.id });
    await http.post(`/api/narratives/${thread.id}/memories`, { memoryId: next.id });
    const rootOf = async () => (await http.get<One>(`/api/narratives/${thread.id}`)).body.data.rootMemoryId;
    await remove(`/api/memories/${root.id}`);
    await remove(`/api/memories/${next.id}`);
    await erase(root.id);
    expect(await rootOf()).toBe(next.id);
    await erase(next.id);
    expect(await rootOf()).toBe('');
  });
});
