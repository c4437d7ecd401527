import {
  apiKey,
  batchGetMemoriesResponse,
  bulkDeleteResponse,
  bulkTagResponse,
  bulkUpdateResponse,
  conversation,
  createMemoryResponse,
  getMemoryResponse,
  healthCheck,
  Memnexus,
  type Memory,
  memory,
  namedMemoryHistoryResponse,
  pagination,
  relatedMemoryResult,
  SdkError,
  searchResponse,
  topic,
  user,
  userUsage,
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

function eachAccepted<T>(schema: Accepting, values: readonly T[] | undefined): readonly T[] {
  expect(Array.isArray(values)).toBe(true);
  return (values ?? []).map((value) => accepted(schema, value));
}

describe.each(engines)('the public TypeScript SDK on %s', (engine) => {
  const server = useServer(engine);
  let sdk: Memnexus;

  beforeAll(async () => {
    sdk = sdkOf(server);
  });

  async function create(content: string, extra: Record<string, unknown> = {}): Promise<Memory> {
    const reply = await sdk.memories.createMemory({ content, conversationId: 'NEW', ...extra });
    expect(reply.metadata.status).toBe(201);
    return accepted(createMemoryResponse, reply.data).data;
  }

  it('the SDK creates a memory with every field it knows and reads it back at each detail level', async () => {
    const body = {
      content: 'The kettle in the harbour office whistles at noon.',
      memoryType: 'semantic' as const,
      role: 'assistant' as const,
      context: 'harbour office',
      topics: ['kettle', 'harbour'],
      eventTime: '2024-05-06T07:08:09.123Z',
      validFrom: '2024-05-06',
      validTo: '2034-05-06T00:00:00Z',
      codeContext: { product: 'harbour', repo: 'kettle', extra: { lane: 'north' } },
      taskId: 'task-1',
      outcome: 'unresolved' as const,
    };
    const made = await sdk.memories.createMemory({ conversationId: 'NEW', ...body });
    expect(made.metadata.status).toBe(201);
    const { data, meta } = accepted(createMemoryResponse, made.data);
    expect(meta.conversationCreated).toBe(true);
    expect(data).toMatchObject({ content: body.content, memoryType: 'semantic', topics: body.topics });
    for (const detail of ['minimal', 'standard', 'full'] as const) {
      const read = await sdk.memories.getMemoryById(data.id, { detail });
      const seen = accepted(getMemoryResponse, read.data).data;
      expect(seen).toMatchObject({
        id: data.id,
        content: body.content,
        context: body.context,
        eventTime: body.eventTime,
        validFrom: '2024-05-06T00:00:00.000Z',
        validTo: '2034-05-06T00:00:00.000Z',
        codeContext: body.codeContext,
        taskId: 'task-1',
        outcome: 'unresolved',
      });
    }
  });

  it('the SDK groups memories by the session field of the SDK', async () => {
    const body = { content: 'Grouped by an agent session.', claudeSessionId: 'sdk-session' };
    const first = await sdk.memories.createMemory(body);
    const second = await sdk.memories.createMemory(body);
    const { meta } = accepted(createMemoryResponse, first.data);
    expect(meta.conversationCreated).toBe(true);
    expect(second.data?.meta).toMatchObject({
      conversationId: meta.conversationId,
      conversationCreated: false,
      sessionId: meta.sessionId,
      sessionCreated: false,
    });
  });

  it('the SDK lists memories by prefix, topic, conversation and time', async () => {
    const made = await create('A lighthouse keeper counts ships.', { topics: ['lighthouse'] });
    const conversationId = (made as { conversationId?: string }).conversationId ?? '';
    const options = [
      {},
      { idPrefix: made.id.slice(0, 8) },
      { topics: 'lighthouse', excludeTopics: 'nothing' },
      { conversationId },
      { recent: '24h', sortBy: 'updatedAt' as const, order: 'desc' as const, limit: 50, page: 1 },
      { from: '2020-01-01', to: '2999-12-31' },
    ];
    for (const option of options) {
      const listed = await sdk.memories.listMemories(option);
      expect(listed.metadata.status).toBe(200);
      accepted(pagination, listed.data?.pagination);
      const ids = eachAccepted(memory, listed.data?.data).map(({ id }) => id);
      expect(ids, JSON.stringify(option)).toContain(made.id);
    }
  });

  it('the SDK updates, names, unnames and deletes a memory', async () => {
    const made = await create('The first draft of a letter.');
    const updated = await sdk.memories.updateMemory(made.id, {
      content: 'The second draft of a letter.',
      topics: ['letters'],
      memoryType: 'procedural',
      name: 'sdk-letter',
      outcome: 'resolved',
    });
    const seen = accepted(memory, updated.data?.data);
    expect(seen).toMatchObject({ content: 'The second draft of a letter.', name: 'sdk-letter' });
    const unnamed = await sdk.memories.updateMemory(made.id, { name: '' });
    expect(accepted(memory, unnamed.data?.data).name).toBeUndefined();
    const deleted = await sdk.memories.deleteMemory(made.id);
    expect(deleted.metadata.status).toBe(204);
    await expect(sdk.memories.getMemoryById(made.id)).rejects.toMatchObject({ status: 404 });
  });

  it('the SDK keeps a named memory as a chain of versions', async () => {
    const first = await create('Version one of the plan.', { name: 'sdk-plan', topics: ['plan'] });
    const taken = sdk.memories.createMemory({ content: 'Another plan.', name: 'sdk-plan' });
    await expect(taken).rejects.toBeInstanceOf(SdkError);
    await expect(taken).rejects.toMatchObject({ status: 409, data: { code: 'MEMORY_NAME_CONFLICT' } });
    const written = await sdk.memories.updateNamedMemory('sdk-plan', {
      content: 'Version two of the plan.',
      expectedHeadId: first.id,
    });
    expect(written.metadata.status).toBe(201);
    expect(written.data?.meta).toMatchObject({ previousVersionId: first.id, version: 2 });
    const second = accepted(memory, written.data?.data);
    expect(second.topics).toEqual(['plan']);
    const stale = sdk.memories.updateNamedMemory('sdk-plan', { content: 'Lost.', expectedHeadId: first.id });
    await expect(stale).rejects.toMatchObject({ status: 409, data: { code: 'MEMORY_HEAD_CONFLICT' } });
    const appended = await sdk.memories.appendNamedMemory('sdk-plan', {
      block: 'And more.',
      separator: ' ',
      conversationId: 'NEW',
    });
    expect(appended.data?.meta).toEqual({ previousVersionId: second.id, version: 3 });
    const third = accepted(memory, appended.data?.data);
    expect(third.content).toBe('Version two of the plan. And more.');
    const head = await sdk.memories.getMemoryByName('sdk-plan', { detail: 'full' });
    expect(accepted(getMemoryResponse, head.data).data.id).toBe(third.id);
    const history = await sdk.memories.getNamedMemoryHistory('sdk-plan', { limit: 10 });
    const { versions } = accepted(namedMemoryHistoryResponse, history.data);
    expect(versions.map(({ version, effectiveState }) => [version, effectiveState])).toEqual([
      [3, 'current'],
      [2, 'superseded'],
      [1, 'superseded'],
    ]);
  });

  it('the SDK reads a batch in the order asked for and names what is missing', async () => {
    const ids = [(await create('Batch one.')).id, (await create('Batch two.')).id];
    const missing = ['no-such-id', '3f0e8f4e-0000-4000-8000-000000000000'];
    const asked = [...ids.toReversed(), ...missing];
    const reply = await sdk.memories.getMemoriesBatch({ ids: asked, detail: 'standard' });
    const { data, meta } = accepted(batchGetMemoriesResponse, reply.data);
    expect(data.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(meta).toEqual({ requested: 4, found: 2, missing });
  });

  it('the SDK tags, updates and deletes in bulk, reporting each item that failed', async () => {
    const ids = [(await create('Bulk one.')).id, (await create('Bulk two.', { topics: ['old'] })).id];
    const asked = [...ids, '3f0e8f4e-0000-4000-8000-000000000000'];
    const tagged = await sdk.memories.bulkTagMemories({
      ids: asked,
      addTopics: ['new'],
      removeTopics: ['old'],
    });
    expect(accepted(bulkTagResponse, tagged.data)).toMatchObject({ modified: 2, failed: 1 });
    const updated = await sdk.memories.bulkUpdateMemories({
      ids: asked,
      updates: { memoryType: 'procedural' },
    });
    expect(accepted(bulkUpdateResponse, updated.data)).toMatchObject({ updated: 2, failed: 1 });
    const seen = await sdk.memories.getMemoriesBatch({ ids });
    for (const item of eachAccepted(memory, seen.data?.data))
      expect(item).toMatchObject({ topics: ['new'], memoryType: 'procedural' });
    const deleted = await sdk.memories.bulkDeleteMemories({ ids: asked, confirmDeletion: true });
    expect(accepted(bulkDeleteResponse, deleted.data)).toMatchObject({ deleted: 2, failed: 1 });
    const gone = await sdk.memories.getMemoriesBatch({ ids });
    expect(gone.data?.meta.missing).toEqual(ids);
  });

  it('searches by GET and by POST, with every method and switch', async () => {
    const made = await create('The violet zeppelin landed near the orchard.', { topics: ['aviation'] });
    const switches = { explain: true, includeTopics: true, includeFacets: true, includeSuperseded: true };
    for (const searchMethod of ['keyword', 'semantic', 'hybrid'] as const) {
      const byGet = await sdk.memories.searchMemoriesGet({ q: 'zeppelins', searchMethod, ...switches });
      const byPost = await sdk.memories.searchMemories({ query: 'zeppelins', searchMethod, ...switches });
      for (const reply of [byGet, byPost]) {
        const found = accepted(searchResponse, reply.data);
        expect(found.data.map(({ id }) => id)).toEqual([made.id]);
        expect(found.meta.total).toBe(1);
        expect(found.facets?.topics).toContainEqual({ value: 'aviation', count: 1 });
      }
    }
    const filtered = await sdk.memories.searchMemoriesGet({
      q: 'zeppelin',
      topics: 'aviation,other',
      excludeTopics: 'gardens',
      memoryType: made.memoryType,
      ingestionTimeFrom: '2020-01-01',
      asOfTime: new Date().toISOString(),
      sortBy: 'createdAt',
      limit: 5,
    });
    expect(accepted(searchResponse, filtered.data).data.map(({ id }) => id)).toEqual([made.id]);
    const browsed = await sdk.memories.searchMemoriesGet({ topics: 'aviation' });
    expect(accepted(searchResponse, browsed.data).data.map(({ id }) => id)).toEqual([made.id]);
    await expect(sdk.memories.searchMemoriesGet({})).rejects.toMatchObject({ status: 422 });
  });

  it('the SDK reads conversations, timelines and related memories', async () => {
    const made = await sdk.conversations.createConversation({ title: 'Sailing', summary: 'Boats' });
    expect(made.metadata.status).toBe(201);
    const { id } = accepted(conversation, made.data?.data);
    const memories = [];
    for (const content of ['Trim the mainsail.', 'Coil the halyard.', 'Check the quixotic bilge.'])
      memories.push(await create(content, { conversationId: id, topics: ['sailing'] }));
    const middle = memories[1]?.id ?? '';
    const read = await sdk.conversations.getConversationSummary(id);
    expect(accepted(conversation, read.data?.data).title).toBe('Sailing');
    const listed = await sdk.conversations.listConversations({ sortBy: 'memoryCount', minMemories: 3 });
    expect(eachAccepted(conversation, listed.data?.data).map((item) => item.id)).toEqual([id]);
    const timeline = await sdk.conversations.getConversationTimeline(id);
    expect(eachAccepted(memory, timeline.data?.data).map((item) => item.content)).toEqual(
      memories.map((item) => item.content),
    );
    const found = await sdk.conversations.searchConversations({ query: 'quixotic' });
    expect(eachAccepted(conversation, found.data?.data).map((item) => item.id)).toEqual([id]);
    const around = await sdk.memories.getMemoryTimeline(middle, { before: 5, after: 5 });
    expect(eachAccepted(memory, around.data?.data?.preceding).at(-1)?.id).toBe(memories[0]?.id);
    expect(eachAccepted(memory, around.data?.data?.following).at(0)?.id).toBe(memories[2]?.id);
    const related = await sdk.memories.getRelatedMemories(middle, { limit: 5 });
    expect(eachAccepted(relatedMemoryResult, related.data?.data)).toHaveLength(2);
    const together = await sdk.memories.getConversationMemories(middle, { limit: 5 });
    expect(together.data?.conversationId).toBe(id);
    expect(eachAccepted(relatedMemoryResult, together.data?.data).length).toBeGreaterThan(0);
    expect((await sdk.conversations.deleteConversation(id)).metadata.status).toBe(204);
    await expect(sdk.memories.getMemoryById(middle)).rejects.toMatchObject({ status: 404 });
  });

  it('the SDK lists and reads topics', async () => {
    await create('Topics are listed.', { topics: ['sdk-topic'] });
    const listed = await sdk.topics.listTopics({ limit: 100, sortBy: 'name', order: 'asc' });
    expect(eachAccepted(topic, listed.data?.data).map(({ name }) => name)).toContain('sdk-topic');
    const read = await sdk.topics.getTopicById('sdk-topic');
    expect(accepted(topic, read.data?.data)).toMatchObject({ name: 'sdk-topic', count: 1 });
  });

  it('the SDK makes, lists and revokes API keys', async () => {
    const made = await sdk.apiKeys.createApiKey({
      body: { label: 'sdk', expiresAt: '2999-01-01T00:00:00Z' },
    });
    expect(made.metadata.status).toBe(201);
    const info = accepted(apiKey, made.data?.data?.keyInfo);
    const other = new Memnexus({ baseUrl: server.url, token: made.data?.data?.apiKey ?? '' });
    expect((await other.apiKeys.debugUser()).data?.data?.userId).toBeTypeOf('string');
    const listed = await sdk.apiKeys.listApiKeys();
    expect(eachAccepted(apiKey, listed.data?.data).map(({ label }) => label)).toContain('sdk');
    expect((await sdk.apiKeys.deleteApiKey(info.id)).metadata.status).toBe(204);
    await expect(other.apiKeys.debugUser()).rejects.toMatchObject({ status: 401 });
  });

  it('the SDK shows who the user is, and the status of the system', async () => {
    const me = await sdk.users.getCurrentUser();
    expect(accepted(user, me.data?.data).email).toContain('@');
    if (me.data?.usage !== undefined) accepted(userUsage, me.data.usage);
    const usage = accepted(userUsage, (await sdk.users.getCurrentUserUsage()).data?.data);
    expect(usage.memoriesUsed).toBeGreaterThanOrEqual(0);
    const archive = (await sdk.users.exportUserData()).data;
    eachAccepted(memory, archive?.memories);
    eachAccepted(conversation, archive?.conversations);
    expect(archive?.counts?.memories).toBe(archive?.memories?.length);
    accepted(healthCheck, (await sdk.health.healthCheck()).data);
    expect((await sdk.health.livenessCheck()).data?.status).toBe('alive');
    expect((await sdk.system.getSystemHealth()).data?.data?.status).toBe('healthy');
    expect((await sdk.system.getContextStatus()).data?.data).toBeTypeOf('object');
    expect((await sdk.system.getOpenApiSpec({ noCache: '1' })).data).toHaveProperty('paths');
    const flags = Object.keys((await sdk.system.getFeatureFlags()).data?.data ?? {});
    for (const flagName of [...flags, 'no-such-flag']) {
      const reply = await sdk.system.evaluateFeatureFlag({ flagName, context: {} });
      expect(reply.data?.data).toMatchObject({ flagName, enabled: expect.any(Boolean) });
    }
  });

  it('the SDK counts memories by day and by topic', async () => {
    for (const groupBy of ['day', 'week', 'month', 'topic'] as const) {
      const { data } = await sdk.memories.getMemoriesStats({ groupBy, recent: '7d' });
      expect(data?.groupBy).toBe(groupBy);
      expect(data?.total).toBeGreaterThan(0);
      for (const { bucket, count } of data?.data ?? []) {
        expect(bucket).toBeTypeOf('string');
        expect(count).toBeGreaterThan(0);
      }
    }
  });
});
