import { entityNode, fact, type Memnexus } from '@memnexus-ai/typescript-sdk';
import { beforeAll, describe, expect, it } from 'vitest';
import { poll } from '../support/poll.ts';
import { sdkOf } from '../support/sdk.ts';
import { engines } from '../support/server.ts';
import { useServer } from '../support/use-server.ts';

describe.each(engines)('entities and derived facts of the public TypeScript SDK on %s', (engine) => {
  const server = useServer(engine);
  let sdk: Memnexus;

  beforeAll(async () => {
    sdk = sdkOf(server);
  });

  it('the SDK lists, reads and counts what the running service derives by itself', async () => {
    const content = 'Ana: I moved to Lisbon in March and work for Nordlicht now.';
    const memoryId =
      (await sdk.memories.createMemory({ content, conversationId: 'NEW' })).data?.data.id ?? '';
    const listed = await poll('Lisbon is listed', async () => {
      const page = await sdk.entities.listEntities({ query: 'lis', type: 'LOCATION', limit: 5 });
      return page.data?.pagination?.count === 1 ? page.data.data?.[0] : undefined;
    });
    expect(entityNode.safeParse(listed).error?.issues).toBeUndefined();
    expect(listed).toMatchObject({ name: 'Lisbon', type: 'LOCATION', mentionCount: 1 });
    expect((await sdk.entities.getEntityById(listed.id)).data?.data).toEqual(listed);
    const memories = (await sdk.entities.getEntityMemories(listed.id, { limit: 5, offset: 0 })).data;
    expect(memories?.data?.map(({ memory }) => memory?.id)).toEqual([memoryId]);
    expect(memories?.pagination?.count).toBe(1);
    expect((await sdk.entities.getGraphHealth()).data?.data).toMatchObject({
      totalMemories: 1,
      totalEntities: 3,
      totalFacts: 2,
      memoriesWithEntities: 1,
      entityCoverage: 1,
    });
    const facts = (await sdk.facts.listFacts({ memoryId, sortBy: 'confidence' })).data?.data ?? [];
    expect(facts.map((item) => fact.parse(item).sourceMemoryId)).toEqual([memoryId, memoryId]);
    const shown = (await sdk.memories.getMemoryById(memoryId, { detail: 'standard' })).data?.data;
    expect(shown?.entities?.map(({ name }) => name)).toEqual(['Ana', 'Lisbon', 'Nordlicht']);
    const found = await sdk.memories.searchMemories({
      query: 'Lisbon',
      includeEntities: true,
      includeFacts: true,
      entityTypes: ['PERSON'],
    });
    expect(found.data?.data[0].entities).toMatchObject([{ name: 'Ana', type: 'PERSON' }]);
    expect(found.data?.data[0].facts?.length).toBe(2);
    await expect(sdk.entities.getEntityById('none')).rejects.toMatchObject({ status: 404 });
  });
});
