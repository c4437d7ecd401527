import { beforeEach, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import { useApp, useClient } from '../support/use-app.ts';

interface TopicBody {
  readonly id: string;
  readonly name: string;
  readonly memoryCount: number;
  readonly derived: boolean;
}

describe.each(engines)('derived topics on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);
  beforeEach(() => deriveAll(app.services));

  async function write(content: string, topics: readonly string[] = []) {
    const { body } = await http.post<{ data: { id: string; conversationId: string } }>('/api/memories', {
      content,
      topics,
      conversationId: 'NEW',
    });
    await deriveAll(app.services);
    return body.data;
  }
  const list = async () => (await http.get<{ data: TopicBody[] }>('/api/topics?limit=100')).body.data;
  const counts = async () =>
    Object.fromEntries((await list()).map(({ name, memoryCount }) => [name, memoryCount]));
  const kafka = 'The nightly export to Kafka failed.';

  it('topics that were derived are listed with the number of their memories, given and derived', async () => {
    await write(kafka);
    await write('The ledger team reads from it.', ['Kafka']);
    expect(await counts()).toMatchObject({ Kafka: 2, 'nightly export': 1 });
    const [{ count }] = [(await http.get<{ pagination: { count: number } }>('/api/topics')).body.pagination];
    expect(count).toBe((await list()).length);
  });

  it('topics that were given come before derived ones, which are marked, in lists and facets', async () => {
    await write(kafka);
    await write('The ledger team reads from it.', ['zebra']);
    for (const query of ['sortBy=name', 'sortBy=memoryCount', 'limit=1']) {
      const [first, ...others] = (await http.get<{ data: TopicBody[] }>(`/api/topics?${query}`)).body.data;
      expect(first).toMatchObject({ name: 'zebra', derived: false });
      expect(others.every(({ derived }) => derived)).toBe(true);
    }
    const next = await http.get<{ data: TopicBody[] }>('/api/topics?limit=1&page=2');
    expect(next.body.data).toMatchObject([{ derived: true }]);
    const body = { query: 'ledger Kafka', includeFacets: true, facets: true };
    const found = await http.post<{ facets?: { topics: object[] } }>('/api/memories/search', body);
    expect(found.body.facets?.topics[0]).toEqual({ value: 'zebra', count: 1 });
    expect(found.body.facets?.topics).toContainEqual({ value: 'Kafka', count: 1, derived: true });
  });

  it('a topic that the client gave is not derived as well', async () => {
    await write(kafka, ['kafka']);
    expect(await counts()).toMatchObject({ kafka: 1 });
    expect(Object.keys(await counts())).not.toContain('Kafka');
  });

  it('a memory that has a topic by its client and, after a merge, by derivation is counted once', async () => {
    await write(kafka, ['event log']);
    const topics = await list();
    const idOf = (name: string) => topics.find((topic) => topic.name === name)?.id;
    const merge = { sourceTopicId: idOf('Kafka'), targetTopicId: idOf('event log') };
    const merged = await http.post('/api/topics/merge', merge);
    expect(merged.status, merged.text).toBeLessThan(300);
    expect(await counts()).toMatchObject({ 'event log': 1 });
    expect(Object.keys(await counts())).not.toContain('Kafka');
  });

  it('derived topics go to the trash with their memory, from lists and searches, and come back with their ids', async () => {
    const { id } = await write(kafka);
    const before = await list();
    expect(before.map(({ name }) => name)).toContain('Kafka');
    await http.delete(`/api/memories/${id}`);
    expect(await list()).toEqual([]);
    expect((await http.get('/api/topics/Kafka')).status).toBe(404);
    const searched = await http.post<{ data: unknown[] }>('/api/topics/search', { query: 'kafka' });
    expect(searched.body.data).toEqual([]);
    const trash = await http.get<{ data: { id: string }[] }>('/api/trash');
    for (const entry of trash.body.data) await http.post(`/api/trash/${entry.id}/restore`, {});
    expect(await list()).toEqual(before);
  });

  it('an edit gives a memory the topics of its new text', async () => {
    const { id } = await write(kafka);
    await http.put(`/api/memories/${id}`, { content: 'The nightly export to Redis failed.' });
    await deriveAll(app.services);
    expect(Object.keys(await counts()).sort()).toEqual(['Redis', 'nightly export']);
  });

  it('topics of the same memories are related, and conversations are found by them, derived or given', async () => {
    const { conversationId } = await write(kafka, ['outage']);
    const related = async (topic: string) =>
      (await http.post('/api/topics/discover-related', { topicId: topic })).text;
    expect(await related('Kafka')).toContain('outage');
    expect(await related('Kafka')).toContain('nightly export');
    expect(await related('outage')).toContain('Kafka');
    const found = await http.post('/api/conversations/by-topic', { topicId: 'Kafka' });
    expect(found.text).toContain(conversationId);
  });
});
