import { artifact, fact, type Memnexus } from '@memnexus-ai/typescript-sdk';
import { beforeAll, describe, expect, it } from 'vitest';
import { sdkOf } from '../support/sdk.ts';
import { engines } from '../support/server.ts';
import { useServer } from '../support/use-server.ts';

describe.each(engines)('facts and artifacts of the public TypeScript SDK on %s', (engine) => {
  const server = useServer(engine);
  let sdk: Memnexus;

  beforeAll(async () => {
    sdk = sdkOf(server);
  });

  /** Accepted by the schema that the SDK exports, and given back as it came. */
  const acceptedFact = (value: unknown) => {
    expect(fact.safeParse(value).error?.issues, JSON.stringify(value)).toBeUndefined();
    return fact.parse(value);
  };
  const acceptedArtifact = (value: unknown) => {
    expect(artifact.safeParse(value).error?.issues, JSON.stringify(value)).toBeUndefined();
    return artifact.parse(value);
  };
  const remember = async () => {
    const made = await sdk.memories.createMemory({ content: 'Ada keeps the harbour', conversationId: 'NEW' });
    return { memoryId: made.data?.data.id ?? '', conversationId: made.data?.meta.conversationId ?? '' };
  };

  it('the SDK states, reads, changes, lists, finds and deletes facts', async () => {
    const { memoryId } = await remember();
    const made = await sdk.facts.createFact({ subject: 'Ada', predicate: 'keeps', object: 'the harbour' });
    expect(made.metadata.status).toBe(201);
    const { id } = acceptedFact(made.data?.data);
    // As the command line tool sends it, beyond the type of the SDK.
    const body = { subject: 'Ada', predicate: 'likes', object: 'tea', confidence: 0.4, memoryId };
    const drawn = acceptedFact((await sdk.facts.createFact(body)).data?.data);
    expect(drawn).toMatchObject({ confidence: 0.4, sourceMemoryId: memoryId, name: 'Ada', type: 'likes' });
    const changed = await sdk.facts.updateFact(id, { object: 'the lighthouse', confidence: 0.9 });
    expect(acceptedFact(changed.data?.data)).toMatchObject({ object: 'the lighthouse', confidence: 0.9 });
    expect((await sdk.facts.getFactById(id)).data).toEqual(changed.data);
    const listed = await sdk.facts.listFacts({ sortBy: 'confidence', order: 'asc', limit: 5, offset: 0 });
    expect(listed.data?.data?.map((item) => acceptedFact(item).id)).toEqual([drawn.id, id]);
    expect(listed.data?.count).toBe(2);
    expect((await sdk.facts.listFacts({ memoryId })).data?.count).toBe(1);
    const found = await sdk.facts.searchFacts({ query: 'who keeps the lighthouse', limit: 3 });
    expect(found.data?.data?.map((item) => acceptedFact(item).id)).toEqual([id]);
    expect(found.data).toMatchObject({ count: 1, metadata: { query: 'who keeps the lighthouse' } });
    expect((await sdk.facts.deleteFact(id)).metadata.status).toBe(204);
    await expect(sdk.facts.getFactById(id)).rejects.toMatchObject({ status: 404 });
  });

  it('the SDK keeps, reads, changes, lists and deletes artifacts', async () => {
    const place = await remember();
    const body = { content: '# Tides', type: 'document', name: 'tides', description: 'When' };
    const made = await sdk.artifacts.createArtifact({ ...body, ...place, metadata: { port: 'north' } });
    expect(made.metadata.status).toBe(201);
    const { id } = acceptedArtifact(made.data?.data);
    expect(made.data?.data).toMatchObject({ ...body, ...place, metadata: { port: 'north' }, size: 7 });
    const bare = acceptedArtifact(
      (await sdk.artifacts.createArtifact({ content: 'x', type: 'note' })).data?.data,
    );
    const changed = await sdk.artifacts.updateArtifact(id, {
      content: '# Tide',
      metadata: { port: 'south' },
    });
    acceptedArtifact(changed.data?.data);
    expect(changed.data?.data).toMatchObject({
      content: '# Tide',
      name: 'tides',
      metadata: { port: 'south' },
    });
    expect((await sdk.artifacts.getArtifactById(id)).data).toEqual(changed.data);
    const listed = await sdk.artifacts.listArtifacts({ limit: 5 });
    expect(listed.data?.data?.map((item) => acceptedArtifact(item).id)).toEqual([bare.id, id]);
    expect(listed.data?.count).toBe(2);
    for (const filter of [{ memoryId: place.memoryId }, place, { type: 'document' }])
      expect((await sdk.artifacts.listArtifacts(filter)).data?.count).toBe(1);
    expect((await sdk.artifacts.deleteArtifact(id)).metadata.status).toBe(204);
    await expect(sdk.artifacts.getArtifactById(id)).rejects.toMatchObject({ status: 404 });
  });
});
