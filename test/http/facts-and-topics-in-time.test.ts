import { beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { poll } from '../support/poll.ts';
import { useApp } from '../support/use-app.ts';

type Made = { data: { id: string } };
type Hit = { content: string; topics: string[]; facts?: { object: string; confidence: number }[] };
type Found = { data: Hit[]; facets?: { topics: { value: string; count: number }[] } };

describe.each(engines)('a search as of a time on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  beforeAll(async () => {
    http = await app.newClient();
  });

  /** A time after all that was done and before all that follows. */
  const time = async () => {
    const at = Date.now() + 1;
    await poll('the clock goes on', async () => (Date.now() > at + 1 ? true : undefined));
    return new Date(at).toISOString();
  };
  const search = async (query: string, at?: string) =>
    (await http.get<Found>(`/api/memories/search?${query}${at ? `&asOfTime=${at}` : ''}`)).body;

  it('a search as of a time shows facts as they were known then', async () => {
    const memory = await http.post<Made>('/api/memories', { content: 'gnu sighting', conversationId: 'NEW' });
    const memoryId = memory.body.data.id;
    const bare = await time();
    const state = (object: string, confidence: number) =>
      http.post<Made>('/api/facts', { subject: 'gnu', predicate: 'seen by', object, confidence, memoryId });
    const eve = await state('Eve', 0.4);
    await state('Bob', 0.6);
    const stated = await time();
    await http.put(`/api/facts/${eve.body.data.id}`, { object: 'Ann' });
    const edited = await time();
    await http.put(`/api/facts/${eve.body.data.id}`, { object: 'Zoe', confidence: 0.9 });
    const facts = async (at?: string) =>
      (await search('q=gnu&includeFacts=true&context=false', at)).data[0].facts?.map(({ object }) => object);
    expect(await facts(bare)).toEqual([]);
    expect(await facts(stated)).toEqual(['Bob', 'Eve']);
    expect(await facts(edited)).toEqual(['Bob', 'Ann']);
    expect(await facts()).toEqual(['Zoe', 'Bob']);
    expect(await facts('2999-01-01')).toEqual(['Zoe', 'Bob']);
    await http.delete(`/api/facts/${eve.body.data.id}`);
    expect(await facts(stated)).toEqual(['Bob']);
    const { body } = await http.get<{ data: { id: string; recordId: string }[] }>('/api/trash?kind=fact');
    const entry = body.data.find(({ recordId }) => recordId === eve.body.data.id);
    await http.post(`/api/trash/${entry?.id}/restore`);
    expect(await facts(stated)).toEqual(['Bob', 'Eve']);
  });

  it('a search as of a time goes by the topics of then, before a merge, after it, and after it was undone', async () => {
    const write = (content: string, topic: string) =>
      http.post('/api/memories', { content, topics: [topic], conversationId: 'NEW' });
    await write('okapi one', 'zoo-a');
    await write('okapi two', 'sea-b');
    const before = await time();
    await http.post('/api/topics/merge', { sourceTopicId: 'sea-b', targetTopicId: 'zoo-a' });
    const merged = await time();
    const found = async (filter: string, at?: string) =>
      (await search(`q=okapi&context=false&${filter}`, at)).data.map(({ content }) => content).toSorted();
    const both = ['okapi one', 'okapi two'];
    const asBefore = async () => {
      expect(await found('topics=sea-b', before)).toEqual(['okapi two']);
      expect(await found('topics=zoo-a', before)).toEqual(['okapi one']);
      expect(await found('excludeTopics=zoo-a', before)).toEqual(['okapi two']);
      const { facets } = await search('q=okapi&context=false&includeFacets=true', before);
      expect(facets?.topics).toEqual([
        { value: 'sea-b', count: 1 },
        { value: 'zoo-a', count: 1 },
      ]);
      expect(await found('topics=sea-b', merged)).toEqual(both);
      expect(await found('excludeTopics=sea-b', merged)).toEqual([]);
    };
    await asBefore();
    expect(await found('topics=sea-b')).toEqual(both);
    const { body } = await http.get<{ data: { id: string }[] }>('/api/trash?kind=topic-merge');
    expect((await http.post(`/api/trash/${body.data[0].id}/restore`)).status).toBe(200);
    await asBefore();
    expect(await found('topics=sea-b')).toEqual(['okapi two']);
  });
});
