import type { Memnexus } from '@memnexus-ai/typescript-sdk';
import { beforeAll, describe, expect, it } from 'vitest';
import { sdkOf } from '../support/sdk.ts';
import { engines } from '../support/server.ts';
import { useServer } from '../support/use-server.ts';

describe.each(engines)('the graph by the public TypeScript SDK on %s', (engine) => {
  const server = useServer(engine);
  let sdk: Memnexus;

  beforeAll(async () => {
    sdk = sdkOf(server);
    const memories = [
      { content: 'Bread needs flour and an hour of rest.', topics: ['bread', 'flour'] },
      { content: 'Flour comes from the mill.', topics: ['flour', 'mill'] },
      { content: 'The router asks our DNS.', topics: ['dns', 'router'] },
    ];
    for (const memory of memories) await sdk.memories.createMemory({ conversationId: 'NEW', ...memory });
  });

  it('communities and clusters by the SDK', async () => {
    const detected = await sdk.topics.detectCommunities({ body: { algorithm: 'louvain' } });
    expect(detected.data?.data?.communityCount).toBe(2);
    const again = await sdk.topics.detectCommunities({ body: { algorithm: 'label-propagation' } });
    expect(again.data?.data?.communities?.map(({ id }) => id)).toEqual(
      detected.data?.data?.communities?.map(({ id }) => id),
    );
    const clusters = await sdk.topics.clusterTopics({ body: { minClusterSize: 2 } });
    expect(clusters.data?.data?.clusterCount).toBeGreaterThan(0);
    expect(clusters.data?.data?.clusters).toHaveLength(clusters.data?.data?.clusterCount ?? 0);
  });

  it('answers from the graph by the SDK', async () => {
    const { data } = await sdk.graphrag.executeGraphRAGQuery({
      query: 'How long does bread rest?',
      limit: 5,
    });
    const found = data?.data;
    expect(found?.results?.[0]).toMatchObject({
      memory: { content: 'Bread needs flour and an hour of rest.' },
    });
    const explained = await sdk.graphrag.explainGraphRAGQuery({ queryId: found?.queryId ?? '' });
    expect(explained.data?.data).toMatchObject({ query: 'How long does bread rest?' });
    const communities = await sdk.graphrag.queryCommunities({ query: 'bread', limit: 1 });
    expect(communities.data?.data).toMatchObject([{ answer: 'Bread needs flour and an hour of rest.' }]);
  });
});
