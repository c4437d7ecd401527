import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { engines } from '../../../test/support/database.ts';
import { newServiceFixture, type ServiceFixture } from '../../../test/support/service-fixture.ts';
import { withMembers } from '../../../test/support/with-members.ts';
import { FactService } from '../facts/fact-service.ts';
import type { Stores } from '../shared/stores.ts';
import type { TextIndexer } from '../shared/text-indexer.ts';
import { TopicMergeService } from '../topics/topic-merge-service.ts';
import type { User } from '../users/user.ts';
import { MemoryService } from './memory-service.ts';

describe.each(engines)('what the indexes keep of a text on %s', (engine) => {
  let fixture: ServiceFixture;
  let user: User;
  beforeAll(async () => {
    fixture = await newServiceFixture(engine);
  });
  beforeEach(async () => {
    user = await fixture.newUser();
  });
  afterAll(() => fixture?.close());

  /** Stores that record each computation for an index, and whether it ran in a transaction. */
  function watched(): { readonly stores: Stores; readonly calls: string[] } {
    const calls: string[] = [];
    let isWithin = false;
    const noting = (indexer: TextIndexer): TextIndexer =>
      new Proxy(indexer, {
        get: (target, key: keyof TextIndexer) => {
          calls.push(`${key}${isWithin ? ' within' : ''}`);
          return target[key];
        },
      });
    const forUser: Stores['forUser'] = (ref) => {
      const own = fixture.engine.forUser(ref);
      return withMembers(own, {
        indexer: noting(own.indexer),
        transaction: (body) =>
          own.transaction(async (tx) => {
            isWithin = true;
            try {
              return await body(tx);
            } finally {
              isWithin = false;
            }
          }),
      });
    };
    return { stores: { forUser }, calls };
  }

  it('a create computes the words and vectors of its memory before its transaction', async () => {
    const { stores, calls } = watched();
    const memories = new MemoryService({ stores, clock: fixture.clock });
    const { conversationId } = (await memories.create(user, { content: 'a first note' }, {})).memory;
    calls.length = 0;
    await memories.create(user, { content: 'a note about otters', topics: ['zoo'] }, { conversationId });
    expect(calls).toEqual(['memory', 'vectors']);
  });

  it('an edit and a new version compute the vectors of their text before their transactions', async () => {
    const { stores, calls } = watched();
    const memories = new MemoryService({ stores, clock: fixture.clock });
    // The first memory titles its conversation.
    await memories.create(user, { content: 'a first note' }, {});
    const { memory } = await memories.create(user, { content: 'a note', name: 'note' }, {});
    calls.length = 0;
    await memories.update(user, memory.id, { content: 'another note' });
    expect(calls).toEqual(['vectors', 'memory within']);
    calls.length = 0;
    await memories.addVersion(user, 'note', { content: 'a third note' });
    expect(calls).toEqual(['vectors', 'memory within', 'memory within']);
  });

  it('a fact that is stated computes its words before its transaction', async () => {
    const { stores, calls } = watched();
    const facts = new FactService({ stores, clock: fixture.clock });
    const words = { subject: 'Ada', predicate: 'likes', object: 'tea' };
    await facts.create(user, { ...words, sourceMemoryIds: [] });
    expect(calls).toEqual(['fact']);
  });

  it('a memory whose topic was merged is found by the words of the topic that it shows', async () => {
    const merges = new TopicMergeService({ stores: fixture.engine, clock: fixture.clock });
    for (const topic of ['zoology', 'animals'])
      await fixture.memories.create(user, { content: 'x', topics: [topic] }, {});
    await merges.merge(user, 'zoology', 'animals');
    const created = await fixture.memories.create(user, { content: 'otter', topics: ['zoology'] }, {});
    expect(created.memory.topics).toEqual(['animals']);
    const postings = await fixture.engine.indexFor(user).postings('memory', ['anim', 'animal', 'animals']);
    expect(postings.flatMap(({ docs }) => docs)).toContain(created.memory.doc);
    const { faults } = await fixture.engine.upkeep.check(() => undefined);
    expect(faults).toEqual([]);
  });
});
