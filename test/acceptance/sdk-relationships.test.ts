import {
  createMemoryRelationshipRequest,
  type Memnexus,
  memoryRelationship,
  memoryRelationshipsResponse,
} from '@memnexus-ai/typescript-sdk';
import { beforeAll, describe, expect, it } from 'vitest';
import { poll } from '../support/poll.ts';
import { sdkOf } from '../support/sdk.ts';
import { engines } from '../support/server.ts';
import { useServer } from '../support/use-server.ts';

const types = ['SUPERSEDES', 'FOLLOWS', 'RESOLVES', 'CONTRADICTS', 'REFERENCES', 'DUPLICATES'] as const;

describe.each(engines)('relationships of the public TypeScript SDK on %s', (engine) => {
  const server = useServer(engine);
  let sdk: Memnexus;

  beforeAll(async () => {
    sdk = sdkOf(server);
  });

  const remember = async (content: string) =>
    (await sdk.memories.createMemory({ content, conversationId: 'NEW' })).data?.data.id ?? '';
  const stateOf = async (id: string) => (await sdk.memories.getMemoryById(id)).data?.data?.effectiveState;
  /** Accepted by the schema that the SDK exports, and with no field that it does not know. */
  const accepted = (value: unknown) => {
    expect(memoryRelationship.strict().safeParse(value).error?.issues, JSON.stringify(value)).toBeUndefined();
    return memoryRelationship.parse(value);
  };

  it('the SDK creates every type of relationship, lists every direction, and deletes', async () => {
    const [plan, later] = [await remember('Launch on Tuesday'), await remember('Launch on Friday')];
    const made = [];
    for (const type of types) {
      const body = createMemoryRelationshipRequest.parse({ targetMemoryId: plan, type });
      const response = await sdk.memories.createMemoryRelationship(later, body);
      expect(response.metadata.status).toBe(201);
      const edge = accepted(response.data?.data);
      expect(edge).toMatchObject({ sourceMemoryId: later, targetMemoryId: plan, type, confidence: 1 });
      expect([edge.creationMethod, edge.reason]).toEqual(['manual', undefined]);
      made.push(edge);
    }
    const shown = { both: made, outgoing: made, incoming: [] };
    for (const direction of ['both', 'outgoing', 'incoming'] as const) {
      const { data } = await sdk.memories.getMemoryRelationships(later, { direction });
      expect(memoryRelationshipsResponse.parse(data)).toEqual(data);
      expect(data).toMatchObject({ sourceMemoryId: later, direction });
      expect(
        data?.data.map(accepted).toSorted((a, b) => types.indexOf(a.type) - types.indexOf(b.type)),
      ).toEqual(shown[direction]);
    }
    expect((await sdk.memories.getMemoryRelationships(plan)).data?.direction).toBe('both');

    expect(await stateOf(plan)).toBe('superseded');
    for (const [i, state] of [
      [0, 'contradicted'],
      [3, 'duplicate'],
      [5, 'current'],
    ] as const) {
      expect((await sdk.memories.deleteMemoryRelationship(later, made[i].id)).metadata.status).toBe(204);
      expect(await stateOf(plan)).toBe(state);
    }
  });

  it('the SDK keeps what is stated of a relationship, and shows the same with the memory', async () => {
    const [rumour, denial] = [await remember('There is no soup'), await remember('There is soup')];
    const body = { targetMemoryId: rumour, type: 'CONTRADICTS', confidence: 0.25, reason: 'asked' } as const;
    const edge = accepted((await sdk.memories.createMemoryRelationship(denial, body)).data?.data);
    expect(edge).toMatchObject(body);
    const { id, type, confidence, reason, creationMethod, createdAt } = edge;
    const same = { id, type, confidence, reason, creationMethod, createdAt };
    for (const [of, targetMemoryId, direction, targetPreview] of [
      [denial, rumour, 'outgoing', 'There is no soup'],
      [rumour, denial, 'incoming', 'There is soup'],
    ] as const) {
      // The SDK's type of a memory knows no relationships; the command line tool reads them.
      const full = await sdk.memories.getMemoryById(of, { detail: 'full' });
      const seen = full.data?.data as { relationships?: unknown } | undefined;
      expect(full.data?.data?.conflictCount).toBe(direction === 'outgoing' ? 1 : undefined);
      expect(seen?.relationships).toEqual([{ ...same, targetMemoryId, direction, targetPreview }]);
    }
  });

  it('the SDK shows what is refused of a relationship', async () => {
    const [a, b] = [await remember('one'), await remember('two')];
    const edge = { targetMemoryId: b, type: 'SUPERSEDES' } as const;
    await sdk.memories.createMemoryRelationship(a, edge);
    for (const [from, body, status] of [
      [a, edge, 409],
      [b, { ...edge, targetMemoryId: a }, 409],
      [a, { ...edge, targetMemoryId: a }, 422],
      [a, { ...edge, targetMemoryId: 'nobody' }, 404],
    ] as const)
      await expect(sdk.memories.createMemoryRelationship(from, body)).rejects.toMatchObject({ status });
    await expect(sdk.memories.deleteMemoryRelationship(a, 'nothing')).rejects.toMatchObject({ status: 404 });
  });

  it('the SDK repairs states', async () => {
    const { data, metadata } = await sdk.memories.repairEffectiveState();
    expect([metadata.status, data]).toEqual([200, { repaired: 0, memories: [] }]);
  });

  it('the SDK detects and explains a relationship that a running service finds by itself', async () => {
    const earlier = await remember('The gateway timeout defaults to 30 seconds.');
    const later = await remember('The gateway timeout defaults to 90 seconds now.');
    const found = await poll('a relationship found in the texts', async () => {
      const { data } = await sdk.memories.detectMemoryRelationships(later, { body: { minConfidence: 0.5 } });
      return data?.data?.find(({ targetMemoryId }) => targetMemoryId === earlier);
    });
    expect(found).toMatchObject({ type: 'SUPERSEDES', reason: expect.stringContaining('90') });
    expect(await stateOf(earlier)).toBe('superseded');
    const { data } = await sdk.memories.explainMemoryRelationship(later, {
      otherMemoryId: earlier,
      relationshipType: 'SUPERSEDES',
    });
    expect(data?.data?.explanation).toContain('This memory supersedes the other memory');
  });
});
