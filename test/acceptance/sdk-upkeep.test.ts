import { memory, relatedMemoryResult } from '@memnexus-ai/typescript-sdk';
import { describe, expect, it } from 'vitest';
import { sdkOf } from '../support/sdk.ts';
import { engines } from '../support/server.ts';
import { useServer } from '../support/use-server.ts';

describe.each(engines)('what keeps a store healthy, by the public TypeScript SDK on %s', (engine) => {
  const server = useServer(engine);

  it('the SDK finds what is similar, exports, rates, prunes and reads metrics', async () => {
    const sdk = sdkOf(server);
    const contents = ['The ferry leaves the pier at seven.', 'At seven the ferry leaves the pier.', 'ok'];
    const ids = [];
    for (const content of contents) {
      const made = await sdk.memories.createMemory({ content, conversationId: 'NEW' });
      ids.push(made.data?.data.id ?? '');
    }
    const similar = await sdk.memories.getSimilarMemories(ids[0], { limit: 1 });
    const [nearest] = similar.data?.data ?? [];
    expect(relatedMemoryResult.safeParse(nearest).error?.issues).toBeUndefined();
    expect(nearest.memory.id).toBe(ids[1]);

    const exported = await sdk.memories.exportMemories({ query: 'ferry', limit: 10 });
    expect(exported.data?.map(({ content }) => content).toSorted()).toEqual(contents.slice(0, 2).toSorted());
    const csv = await sdk.memories.exportMemories({ format: 'csv', fields: ['content'] });
    expect(new TextDecoder().decode(csv.raw)).toContain('The ferry leaves the pier at seven.');

    const quality = await sdk.system.analyzeMemoryQuality({ includeDetails: true });
    expect(quality.data?.data).toMatchObject({ totalMemories: 3, averageQuality: expect.any(Number) });
    const body = { minQualityThreshold: 1, preserveRecent: false, targetReduction: 1 };
    const dry = await sdk.system.pruneMemories({ body: { ...body, dryRun: true } });
    expect(dry.data?.data).toMatchObject({ prunedCount: 1, dryRun: true });
    const pruned = await sdk.system.pruneMemories({ body });
    expect(pruned.data?.data?.prunedIds).toEqual(dry.data?.data?.prunedIds);
    const left = await sdk.memories.listMemories();
    expect(left.data?.data?.filter((item) => !memory.safeParse(item).success)).toEqual([]);
    expect(left.data?.data).toHaveLength(2);

    const metrics = await sdk.monitoring.getMetrics();
    expect(new TextDecoder().decode(metrics.raw)).toContain('memoryd_');
  });
});
