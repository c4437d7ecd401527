import { conversation, Memnexus, topic } from '@memnexus-ai/typescript-sdk';
import { beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/server.ts';
import { useServer } from '../support/use-server.ts';

describe.each(engines)('topics by the public TypeScript SDK on %s', (engine) => {
  const server = useServer(engine);
  let sdk: Memnexus;

  beforeAll(async () => {
    sdk = new Memnexus({ baseUrl: server.url, token: server.key });
    for (const topics of [['ships', 'sea'], ['vessels'], ['sea', 'vessels']])
      await sdk.memories.createMemory({ content: 'At sea.', conversationId: 'NEW', topics });
  });

  const accepts = (schema: { safeParse(value: unknown): { success: boolean } }, values: unknown) => {
    expect(Array.isArray(values)).toBe(true);
    const list = values as unknown[];
    expect(list.filter((value) => !schema.safeParse(value).success)).toEqual([]);
    return list;
  };

  it('topics by the SDK', async () => {
    const found = await sdk.topics.searchTopics({ query: 'ship', limit: 5 });
    expect(found.data).toMatchObject({ limit: 5, offset: 0 });
    const names = accepts(topic, found.data?.data).map((each) => (each as { name: string }).name);
    expect(names[0]).toBe('ships');
    expect(names).toContain('vessels');
    const related = await sdk.topics.discoverRelatedTopics({ topicId: 'sea' });
    expect(accepts(topic, related.data?.data)).toHaveLength(2);
    const similar = await sdk.topics.findSimilarTopics({ topicId: 'ships', threshold: 0.5, limit: 3 });
    const near = new Map(similar.data?.data?.map((each) => [each.topic?.name, each.similarity]));
    expect([...near.keys()]).toEqual(['sea', 'vessels']);
    accepts(
      topic,
      similar.data?.data?.map((each) => each.topic),
    );
    const pair = await sdk.topics.calculateTopicSimilarity({ topicId1: 'vessels', topicId2: 'ships' });
    expect(pair.data?.data?.similarity).toBeCloseTo(Number(near.get('vessels')), 2);
    const merged = await sdk.topics.mergeTopics({ sourceTopicId: 'vessels', targetTopicId: 'ships' });
    accepts(topic, [merged.data?.data]);
    expect(merged.data?.data).toMatchObject({ name: 'ships', count: 3 });
    expect((await sdk.topics.getTopicById('vessels')).data?.data).toEqual(merged.data?.data);
    const talks = await sdk.conversations.findConversationsByTopic({ topicId: 'vessels', limit: 2 });
    expect(accepts(conversation, talks.data?.data)).toHaveLength(2);
    expect(talks.data).toMatchObject({ count: 3, metadata: { topicId: expect.any(String) } });
    const refused = sdk.topics.mergeTopics({ sourceTopicId: 'ships', targetTopicId: 'vessels' });
    await expect(refused).rejects.toMatchObject({ status: 422 });
  });
});
