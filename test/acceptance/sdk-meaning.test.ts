import { conversation, fact, Memnexus } from '@memnexus-ai/typescript-sdk';
import { beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/server.ts';
import { useServer } from '../support/use-server.ts';

describe.each(engines)('finding by vectors with the public TypeScript SDK on %s', (engine) => {
  const server = useServer(engine);
  let sdk: Memnexus;

  beforeAll(async () => {
    sdk = new Memnexus({ baseUrl: server.url, token: server.key });
  });

  const accepts = (schema: { safeParse(value: unknown): { success: boolean } }, values: unknown) => {
    const list = values as unknown[];
    expect(list.filter((value) => !schema.safeParse(value).success)).toEqual([]);
    return list;
  };

  it('the SDK finds facts and conversations that share no word with the query', async () => {
    const made = await sdk.facts.createFact({ subject: 'Ana', predicate: 'owns', object: 'a dog' });
    const facts = await sdk.facts.searchFacts({ query: 'which pets are there', limit: 3 });
    expect(accepts(fact, facts.data?.data)).toEqual([made.data?.data]);
    expect(facts.data).toMatchObject({ count: 1, metadata: { query: 'which pets are there' } });
    const content = 'We adopted two puppies from the shelter';
    const memory = await sdk.memories.createMemory({ content, conversationId: 'NEW' });
    const talks = await sdk.conversations.searchConversations({ query: 'which pets are there', limit: 3 });
    const [talk] = accepts(conversation, talks.data?.data);
    expect(talk).toMatchObject({ id: memory.data?.meta.conversationId });
    expect(talks.data?.count).toBe(1);
  });

  it('the SDK sends feedback on a result, which is counted', async () => {
    const found = await sdk.memories.searchMemories({ query: 'dogs' });
    const memoryId = found.data?.data?.[0]?.id ?? '';
    const said = await sdk.memories.recordSearchResultFeedback({
      memoryId,
      action: 'selected',
      searchMethod: 'hybrid',
      searchSessionId: 'session-1',
      resultPosition: 0,
    });
    expect(said.metadata.status).toBe(204);
    const stats = await sdk.memories.getMemoriesStats({ groupBy: 'day' });
    expect(stats.data).toMatchObject({
      total: 1,
      feedback: { selected: 1, notSelected: 0, meanSelectedPosition: 0 },
    });
    const unknown = { memoryId: '00000000-0000-4000-8000-000000000000', action: 'not_selected' } as const;
    await expect(sdk.memories.recordSearchResultFeedback(unknown)).rejects.toMatchObject({ status: 404 });
  });
});
