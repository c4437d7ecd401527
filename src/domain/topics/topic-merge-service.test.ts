import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { engines } from '../../../test/support/database.ts';
import { newServiceFixture, type ServiceFixture } from '../../../test/support/service-fixture.ts';
import type { Memory } from '../memories/memory.ts';
import { writeAs } from '../shared/write.ts';
import type { User } from '../users/user.ts';
import { continueMerge, mergeChunk, startMerge } from './merge-topics.ts';
import { TopicMergeService } from './topic-merge-service.ts';

describe.each(engines)('merges of topics on %s', (engine) => {
  let fixture: ServiceFixture;
  let merges: TopicMergeService;
  let user: User;
  const many = mergeChunk + 30;

  beforeAll(async () => {
    fixture = await newServiceFixture(engine);
    merges = new TopicMergeService({ stores: fixture.engine, clock: fixture.clock });
  });
  beforeEach(async () => {
    user = await fixture.newUser();
  });
  afterAll(() => fixture?.close());

  const write = (topics: readonly string[]) =>
    fixture.memories.create(user, { content: 'A memory.', topics }, {}).then(({ memory }) => memory);
  const writeMany = (topics: readonly string[]): Promise<Memory[]> =>
    Promise.all(Array.from({ length: many }, () => write(topics)));
  const topicsOf = async ({ id }: Memory) => (await fixture.memories.get(user, id)).topics;
  const countOf = async (name: string) => (await fixture.topics.get(user, name)).memoryCount;
  /** As a process leaves it that ends after the first chunk. */
  const interrupted = () =>
    writeAs({ stores: fixture.engine, clock: fixture.clock }, user, async (write) => {
      const merge = await startMerge(write, 'source', 'target');
      expect(await continueMerge(write, merge)).toBe(true);
      return merge;
    });

  it('merges of topics go on where they were interrupted, and only once', async () => {
    const memories = await writeMany(['source']);
    await write(['target']);
    await interrupted();
    expect(await countOf('target')).toBe(mergeChunk + 1);
    expect((await fixture.topics.get(user, 'source')).name).toBe('target');
    await Promise.all([merges.finish(user), merges.finish(user)]);
    expect(await countOf('source')).toBe(many + 1);
    for (const memory of memories) expect(await topicsOf(memory)).toEqual(['target']);
    expect(await merges.list(user)).toMatchObject([{ state: 'done', memoriesMoved: many }]);
    await merges.finish(user);
    await expect(merges.merge(user, 'source', 'target')).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });

  it('merges of topics are waited for by who asks for the same again', async () => {
    await writeMany(['source']);
    await write(['target']);
    const { target } = await interrupted();
    expect((await merges.merge(user, 'SOURCE', 'target')).id).toBe(target.id);
    expect(await merges.list(user)).toHaveLength(1);
    expect(await countOf('target')).toBe(many + 1);
  });

  it('memories can be changed that a merge has not come to yet', async () => {
    const memories = await writeMany(['x', 'source']);
    await write(['target']);
    const merge = await interrupted();
    const waiting: Memory[] = [];
    for (const memory of memories) {
      const now = await fixture.memories.get(user, memory.id);
      if (now.topics.includes('source')) waiting.push(now);
    }
    expect(waiting).toHaveLength(many - mergeChunk);
    const [added, removed, stated] = waiting;
    if (!added || !removed || !stated) throw new Error('too few memories wait');
    await fixture.memories.bulkTag(user, [added.id], { add: ['source', 'y'], remove: [] });
    await fixture.memories.bulkTag(user, [removed.id], { add: [], remove: ['target'] });
    await fixture.memories.update(user, stated.id, { topics: ['target', 'z'] });
    await merges.finish(user);
    expect(await topicsOf(added)).toEqual(['x', 'target', 'y']);
    expect(await topicsOf(removed)).toEqual(['x']);
    expect(await topicsOf(stated)).toEqual(['target', 'z']);
    expect(await countOf('target')).toBe(many);
    await merges.undo(user, merge.id);
    expect(await topicsOf(added)).toEqual(['x', 'source', 'y']);
    expect(await topicsOf(removed)).toEqual(['x']);
    expect([...(await topicsOf(stated))].sort()).toEqual(['source', 'z']);
    expect(await countOf('source')).toBe(many - 1);
    expect(await countOf('target')).toBe(1);
  });

  it('merges of topics wait for each other, whatever comes at once', async () => {
    await writeMany(['a', 'b', 'c']);
    await Promise.all([
      merges.merge(user, 'a', 'b'),
      merges.merge(user, 'c', 'b'),
      write(['a', 'c']),
      write(['b']),
    ]);
    expect(await countOf('b')).toBe(many + 2);
    expect(
      (await fixture.topics.list(user, { limit: 9, offset: 0, sortBy: 'name', order: 'asc' })).count,
    ).toBe(1);
    const active = await merges.list(user);
    await Promise.all(active.map(({ id }) => merges.undo(user, id)));
    expect(await countOf('a')).toBeGreaterThanOrEqual(many);
    expect(await countOf('c')).toBeGreaterThanOrEqual(many);
    expect(await merges.list(user)).toEqual([]);
  });
});
