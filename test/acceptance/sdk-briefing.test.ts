import { buildContextResponse, digestResponse, type Memnexus } from '@memnexus-ai/typescript-sdk';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventsOf } from '../support/events.ts';
import { sdkOf } from '../support/sdk.ts';
import { engines } from '../support/server.ts';
import { useServer } from '../support/use-server.ts';

describe.each(engines)('briefings of the public TypeScript SDK on %s', (engine) => {
  const server = useServer(engine);
  let sdk: Memnexus;

  beforeAll(async () => {
    sdk = sdkOf(server);
    for (const content of [
      'The queue retries failed jobs three times.',
      'Failed jobs are parked after that.',
    ])
      await sdk.memories.createMemory({ content, topics: ['queue'] });
  });

  it.each(['structured', 'narrative', 'timeline', 'status-report'] as const)(
    'the SDK gets a %s digest that its schema accepts',
    async (format) => {
      const { data } = await sdk.memories.generateMemoryDigest({ query: 'failed jobs', format });
      expect(digestResponse.safeParse(data).error?.issues).toBeUndefined();
      expect(data?.digest).toContain('Failed jobs are parked after that. [');
      expect(data?.metadata.sourcesUsed).toBe(2);
    },
  );

  it('the SDK gets a streamed digest as bytes, whose result its schema accepts', async () => {
    const { raw } = await sdk.memories.streamMemoryDigest({ query: 'failed jobs' });
    const [result, done] = eventsOf(new TextDecoder().decode(raw));
    expect([result.event, done.event]).toEqual(['result', 'done']);
    expect(digestResponse.safeParse(result.data).error?.issues).toBeUndefined();
  });

  it('the SDK has a commit remembered, once', async () => {
    const git = {
      sha: '9f3c2a1b7d5e4f60718293a4b5c6d7e8f9012345',
      branch: 'main',
      message: 'Park failed jobs',
      filesChanged: ['src/queue.ts'],
    };
    const made = await sdk.memories.createCommitContextMemory({ git });
    expect([made.metadata.status, made.data?.data]).toEqual([
      201,
      expect.objectContaining({
        topics: ['commit-context'],
        content: expect.stringContaining('Park failed'),
      }),
    ]);
    const again = await sdk.memories.createCommitContextMemory({ git });
    expect(again.data?.data).toEqual(made.data?.data);
    await sdk.memories.deleteMemory(String(made.data?.data?.memoryId));
  });

  it('the SDK gets a built context that its schema accepts', async () => {
    const { data } = await sdk.memories.buildContext({
      context: 'retry failed jobs',
      files: ['src/queue.ts'],
    });
    expect(buildContextResponse.safeParse(data).error?.issues).toBeUndefined();
    expect(data?.recentActivity).toHaveLength(2);
    expect(data?.activeWork?.lastMemory.summary).toBe('Failed jobs are parked after that.');
  });
});
