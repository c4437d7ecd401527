import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { engines } from '../../../test/support/database.ts';
import { newServiceFixture, type ServiceFixture } from '../../../test/support/service-fixture.ts';
import { MINUTE_MS } from '../shared/time.ts';
import type { User } from '../users/user.ts';
import type { CreatedMemory } from './create-memory.ts';
import type { NewVersion } from './named-memory.ts';

describe.each(engines)('the memory service on %s', (engine) => {
  let fixture: ServiceFixture;
  let user: User;

  beforeAll(async () => {
    fixture = await newServiceFixture(engine);
  });
  beforeEach(async () => {
    user = await fixture.newUser();
  });
  afterAll(() => fixture?.close());

  const create = (content: string, fields: Record<string, unknown> = {}): Promise<CreatedMemory> => {
    const { conversationId, agentSessionId, ...input } = fields;
    const requested = { conversationId, agentSessionId } as {
      conversationId?: string;
      agentSessionId?: string;
    };
    return fixture.memories.create(user, { content, ...input }, requested);
  };
  const get = (id: string) => fixture.memories.get(user, id);
  const put = (name: string, content: string, extra = {}): Promise<NewVersion> =>
    fixture.memories.addVersion(user, name, { content, ...extra });
  const code = (value: string) => expect.objectContaining({ code: value });

  it('the memory service puts a memory without a place into the newest implicit conversation of the last 90 minutes', async () => {
    const first = await create('one');
    expect(first.place).toMatchObject({ conversationCreated: true, sessionCreated: true });
    fixture.clock.time += 90 * MINUTE_MS;
    const second = await create('two');
    expect(second.place).toEqual({ ...first.place, conversationCreated: false, sessionCreated: false });
    fixture.clock.time += 90 * MINUTE_MS + 1;
    const third = await create('three');
    expect(third.place.conversationCreated).toBe(true);
    expect(third.place.conversationId).not.toBe(first.place.conversationId);
  });

  it('the memory service begins a new session in a conversation after more than 90 minutes', async () => {
    const { place } = await create('one', { conversationId: 'NEW' });
    fixture.clock.time += 91 * MINUTE_MS;
    const later = await create('two', { conversationId: place.conversationId });
    expect(later.place).toMatchObject({ conversationId: place.conversationId, sessionCreated: true });
    expect(later.place.sessionId).not.toBe(place.sessionId);
    const { memoryCount } = await fixture.conversations.get(user, place.conversationId);
    expect(memoryCount).toBe(2);
  });

  it('the memory service groups by agent session however late, and a conversation that is named wins', async () => {
    const first = await create('one', { agentSessionId: 'agent' });
    fixture.clock.time += 1000 * MINUTE_MS;
    const second = await create('two', { agentSessionId: 'agent' });
    expect(second.place).toMatchObject({
      conversationId: first.place.conversationId,
      conversationCreated: false,
    });
    const other = await create('three', { agentSessionId: 'agent', conversationId: 'NEW' });
    expect(other.place.conversationId).not.toBe(first.place.conversationId);
    const again = await create('four', { agentSessionId: 'agent' });
    expect(again.place.conversationId).toBe(first.place.conversationId);
  });

  it('the memory service knows no conversation of another user', async () => {
    const { place } = await create('one', { conversationId: 'NEW' });
    const other = await fixture.newUser();
    const foreign = fixture.memories.create(
      other,
      { content: 'x' },
      { conversationId: place.conversationId },
    );
    await expect(foreign).rejects.toEqual(code('CONVERSATION_NOT_FOUND'));
    expect((await fixture.conversations.get(user, place.conversationId)).memoryCount).toBe(1);
  });

  it('the memory service writes nothing for a taken name', async () => {
    await create('one', { name: 'plan', conversationId: 'NEW' });
    await expect(create('two', { name: 'plan', conversationId: 'NEW' })).rejects.toEqual(
      code('MEMORY_NAME_CONFLICT'),
    );
    expect(await fixture.engine.forUser(user).memories.count()).toBe(1);
    expect(await fixture.engine.forUser(user).conversations.count()).toBe(1);
  });

  it('the memory service changes only what is stated, and nothing for an empty or an equal update', async () => {
    const { memory } = await create('one', { topics: ['a'], context: 'c' });
    fixture.clock.time += 1000;
    expect(await fixture.memories.update(user, memory.id, {})).toEqual(memory);
    expect(await fixture.memories.update(user, memory.id, { topics: ['a'], content: 'one' })).toEqual(memory);
    const changed = await fixture.memories.update(user, memory.id, { topics: ['b'] });
    expect(changed).toMatchObject({ content: 'one', context: 'c', topics: ['b'], seq: memory.seq });
    expect(changed.updatedAt).toBe(fixture.clock.time);
    await expect(fixture.topics.get(user, 'a')).rejects.toMatchObject({ code: 'TOPIC_NOT_FOUND' });
    expect((await fixture.topics.get(user, 'B')).memoryCount).toBe(1);
  });

  it('the memory service refuses an update that starts from an old version', async () => {
    const { memory } = await create('one');
    const changed = await fixture.memories.update(user, memory.id, { content: 'two' }, [memory.rev]);
    const stale = fixture.memories.update(user, memory.id, { content: 'three' }, [memory.rev]);
    await expect(stale).rejects.toEqual(code('EDIT_CONFLICT'));
    await expect(fixture.memories.delete(user, memory.id, [memory.rev])).rejects.toEqual(
      code('EDIT_CONFLICT'),
    );
    expect(await get(memory.id)).toEqual(changed);
  });

  it('the memory service keeps what a new version leaves out, and moves the name to it', async () => {
    const { memory: first } = await create('one', {
      name: 'plan',
      memoryType: 'procedural',
      topics: ['a'],
      context: 'c',
      eventTime: 5,
      importance: 0.5,
    });
    const { memory, previousVersionId, version } = await put('plan', 'two', { expectedHeadId: first.id });
    expect({ previousVersionId, version }).toEqual({ previousVersionId: first.id, version: 2 });
    expect(memory).toMatchObject({
      name: 'plan',
      memoryType: 'procedural',
      memoryTypeUserSet: true,
      topics: ['a'],
      context: 'c',
      eventTime: null,
      importance: 0.5,
      conversationId: first.conversationId,
    });
    expect(await get(first.id)).toMatchObject({ name: null, effectiveState: 'superseded', chainVersion: 1 });
    const history = await fixture.memories.history(user, 'plan', { limit: 10, offset: 0 });
    expect(history.items.map(({ chainVersion, id }) => [chainVersion, id])).toEqual([
      [2, memory.id],
      [1, first.id],
    ]);
    const edges = await fixture.engine.forUser(user).relationships.listOf(first.id, 'both', 10);
    expect(edges).toMatchObject([
      { type: 'SUPERSEDES', sourceMemoryId: memory.id, targetMemoryId: first.id },
    ]);
  });

  it('the memory service refuses a new version of an old head, of an unknown name and over an unknown memory', async () => {
    const { memory: first } = await create('one', { name: 'plan' });
    const { memory: head } = await put('plan', 'two');
    await expect(put('plan', 'three', { expectedHeadId: first.id })).rejects.toMatchObject({
      code: 'MEMORY_HEAD_CONFLICT',
      details: { currentHeadId: head.id },
    });
    await expect(put('other', 'x')).rejects.toEqual(code('MEMORY_NOT_FOUND'));
    await expect(put('plan', 'x', { supersedes: randomUUID() })).rejects.toEqual(code('MEMORY_NOT_FOUND'));
    await expect(put('plan', 'x', { conversationId: 'conv_x' })).rejects.toEqual(
      code('CONVERSATION_NOT_FOUND'),
    );
    expect(await get(head.id)).toEqual(head);
  });

  it('the memory service supersedes a further memory when asked to', async () => {
    const { memory: other } = await create('other');
    const { memory: first } = await create('one', { name: 'plan' });
    await put('plan', 'two', { supersedes: other.id });
    expect((await get(other.id)).effectiveState).toBe('superseded');
    const third = await put('plan', 'three', { supersedes: first.id });
    expect(third.version).toBe(3);
  });

  it('the memory service gives name and state back when the head is deleted', async () => {
    const { memory: first } = await create('one', { name: 'plan' });
    const { memory: second } = await put('plan', 'two');
    const { memory: third } = await put('plan', 'three');
    await fixture.memories.delete(user, third.id);
    expect(await get(second.id)).toMatchObject({ name: 'plan', effectiveState: 'current' });
    expect(await get(first.id)).toMatchObject({ name: null, effectiveState: 'superseded' });
    const result = await fixture.memories.bulkDelete(user, [second.id, second.id, 'unknown']);
    expect(result).toEqual({ done: 1, errors: [{ id: 'unknown', error: 'No such memory.' }] });
    expect(await get(first.id)).toMatchObject({ name: 'plan', effectiveState: 'current' });
    await fixture.memories.delete(user, first.id);
    await expect(fixture.memories.getNamed(user, 'plan')).rejects.toEqual(code('MEMORY_NOT_FOUND'));
    expect((await create('new', { name: 'plan' })).memory.chainVersion).toBe(1);
  });

  it('the memory service gives a name only once, takes it away and gives it again', async () => {
    const { memory: one } = await create('one', { name: 'plan' });
    const { memory: two } = await create('two');
    await expect(fixture.memories.update(user, two.id, { name: 'plan' })).rejects.toEqual(
      code('MEMORY_NAME_CONFLICT'),
    );
    expect((await fixture.memories.update(user, one.id, { name: 'plan' })).rev).toBe(one.rev);
    await fixture.memories.update(user, one.id, { name: '' });
    const named = await fixture.memories.update(user, two.id, { name: 'plan' });
    expect(named).toMatchObject({ name: 'plan', chainVersion: 1 });
    expect((await fixture.memories.getNamed(user, 'plan')).id).toBe(two.id);
  });

  it('the memory service starts a chain of its own for an older version that gets a name', async () => {
    const { memory: first } = await create('one', { name: 'plan' });
    const { memory: head } = await put('plan', 'two');
    const named = await fixture.memories.update(user, first.id, { name: 'old-plan' });
    expect(named).toMatchObject({ name: 'old-plan', chainVersion: 1 });
    expect(named.chainId).not.toBe(head.chainId);
    await fixture.memories.delete(user, head.id);
    expect((await get(first.id)).name).toBe('old-plan');
  });

  it('the memory service tags and updates what exists and shows of the rest', async () => {
    const many = Array.from({ length: 50 }, (_, i) => `t${i}`);
    const { memory: full } = await create('full', { topics: many });
    const { memory: free } = await create('free', { topics: ['old'] });
    const ids = [full.id, free.id, free.id, 'unknown'];
    const tagged = await fixture.memories.bulkTag(user, ids, { add: ['new'], remove: ['old'] });
    expect(tagged).toEqual({
      done: 1,
      errors: [
        { id: full.id, error: 'topics must have at most 50 items' },
        { id: 'unknown', error: 'No such memory.' },
      ],
    });
    expect((await get(free.id)).topics).toEqual(['new']);
    const updated = await fixture.memories.bulkUpdate(user, ids, { topics: [], memoryType: 'semantic' });
    expect(updated.done).toBe(2);
    expect(await get(full.id)).toMatchObject({ topics: [], memoryType: 'semantic', memoryTypeUserSet: true });
  });

  it('the memory service takes the memories of a deleted conversation along, with all that follows', async () => {
    const { memory: first } = await create('one', { name: 'plan', conversationId: 'NEW' });
    const { memory: head } = await put('plan', 'two', { conversationId: 'NEW' });
    const { memory: other } = await create('other', {
      conversationId: head.conversationId,
      topics: ['gone'],
    });
    await fixture.conversations.delete(user, head.conversationId);
    expect(await fixture.memories.findMany(user, [head.id, first.id, other.id])).toMatchObject([
      { id: first.id, name: 'plan', effectiveState: 'current' },
    ]);
    await expect(fixture.conversations.get(user, head.conversationId)).rejects.toEqual(
      code('CONVERSATION_NOT_FOUND'),
    );
    expect((await fixture.topics.get(user, 'gone')).memoryCount).toBe(0);
  });
});
