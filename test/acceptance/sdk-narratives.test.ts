import {
  getNarrativeResponse,
  listNarrativesResponse,
  type Memnexus,
  narrativeThread,
  narrativeTimelineResponse,
} from '@memnexus-ai/typescript-sdk';
import { beforeAll, describe, expect, it } from 'vitest';
import { sdkOf } from '../support/sdk.ts';
import { engines } from '../support/server.ts';
import { useServer } from '../support/use-server.ts';

/** A schema as the SDK exports it (it brings a zod of its own). */
interface Accepting {
  safeParse(value: unknown): { success: boolean; error?: { issues: unknown } };
}

/** What came is accepted by the SDK's schema, and is given back as it came. */
function accepted<T>(schema: Accepting, value: T): NonNullable<T> {
  const result = schema.safeParse(value);
  expect(result.error?.issues, JSON.stringify(value)).toBeUndefined();
  expect(result.success).toBe(true);
  return value as NonNullable<T>;
}

describe.each(engines)('narratives of the public TypeScript SDK on %s', (engine) => {
  const server = useServer(engine);
  let sdk: Memnexus;

  beforeAll(async () => {
    sdk = sdkOf(server);
  });

  const remember = async (content: string, topics: string[] = []) => {
    const made = await sdk.memories.createMemory({ content, topics, conversationId: 'NEW' });
    return made.data?.data.id ?? '';
  };

  it('the SDK begins, reads, reorders, lists and deletes narratives', async () => {
    const root = await remember('The lighthouse went dark.', ['lighthouse']);
    const cause = await remember('The lamp had burnt out.');
    const cure = await remember('A new lamp was fitted.', ['repairs']);
    const body = { title: 'The dark lighthouse', rootMemoryId: root };
    const made = await sdk.narratives.createNarrative(body);
    expect(made.metadata.status).toBe(201);
    const { id } = accepted(narrativeThread, made.data?.data);
    const resolved = await sdk.narratives.updateNarrative(id, {
      state: 'resolved',
      resolutionMemoryId: cure,
    });
    expect(accepted(narrativeThread, resolved.data?.data)).toMatchObject({
      state: 'resolved',
      resolutionMemoryId: cure,
      currentMemoryId: cure,
      topics: ['lighthouse', 'repairs'],
    });
    const added = await sdk.narratives.addMemoryToNarrative(id, { memoryId: cause, position: 1 });
    expect(added.metadata.status).toBe(200);
    expect(accepted(narrativeThread, added.data?.data).memoryCount).toBe(3);
    const page = await sdk.narratives.getNarrativeTimeline(id, { limit: 2, offset: 1 });
    const { data, narrative, pagination } = accepted(narrativeTimelineResponse, page.data);
    expect(data.map(({ memory, position }) => [memory.id, position])).toEqual([
      [cause, 1],
      [cure, 2],
    ]);
    expect(narrative.id).toBe(id);
    expect(pagination).toEqual({ limit: 2, offset: 1, total: 3 });
    const removed = await sdk.narratives.removeMemoryFromNarrative(id, cause);
    expect(removed.metadata.status).toBe(204);
    const changed = { title: 'The lighthouse', topics: ['sea'], state: 'reopened' } as const;
    await sdk.narratives.updateNarrative(id, { ...changed, topics: [...changed.topics] });
    const read = accepted(getNarrativeResponse, (await sdk.narratives.getNarrative(id)).data).data;
    expect(read).toMatchObject({ ...changed, memoryCount: 2 });
    for (const option of [
      {},
      { state: 'reopened' as const },
      { topics: 'sky,sea' },
      { limit: 1, offset: 0 },
    ]) {
      const listed = await sdk.narratives.listNarratives(option);
      const page = accepted(listNarrativesResponse, listed.data);
      expect(page.data.map((thread) => thread.id)).toEqual([id]);
      expect(page.pagination.count).toBe(1);
    }
    expect((await sdk.narratives.deleteNarrative(id)).metadata.status).toBe(204);
    await expect(sdk.narratives.getNarrative(id)).rejects.toMatchObject({ status: 404 });
    expect((await sdk.memories.getMemoryById(cause)).data?.data.id).toBe(cause);
  });

  it('the SDK reads the state of each memory of a narrative, and places beyond the end are refused', async () => {
    const first = await sdk.memories.createMemory({
      content: 'Plan one.',
      name: 'sdk-thread',
      conversationId: 'NEW',
    });
    const rootMemoryId = first.data?.data.id ?? '';
    const made = await sdk.narratives.createNarrative({ title: 'Plans', rootMemoryId, topics: ['plans'] });
    const second = await sdk.memories.updateNamedMemory('sdk-thread', { content: 'Plan two.' });
    const id = made.data?.data.id ?? '';
    await sdk.narratives.addMemoryToNarrative(id, { memoryId: second.data?.data?.id ?? '' });
    const timeline = await sdk.narratives.getNarrativeTimeline(id);
    const { data } = accepted(narrativeTimelineResponse, timeline.data);
    expect(data.map(({ effectiveState }) => effectiveState)).toEqual(['superseded', 'current']);
    await expect(
      sdk.narratives.addMemoryToNarrative(id, { memoryId: rootMemoryId, position: 9 }),
    ).rejects.toMatchObject({ status: 422 });
  });
});
