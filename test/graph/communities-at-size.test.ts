import { afterEach, describe, expect, it } from 'vitest';
import { CommunityService } from '../../src/domain/communities/community-service.ts';
import { type GraphWorker, runGraphTask } from '../../src/domain/graph/graph-tasks.ts';
import { readAssignments } from '../../src/domain/graph/read-assignments.ts';
import { engines } from '../support/database.ts';
import { newServiceFixture, type ServiceFixture } from '../support/service-fixture.ts';

const memoryCount = 25;
const topicsPerMemory = 48;

/** Turns of the event loop while `work` runs, in each of which requests have theirs. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isOver = true;
  return turns;
}

describe.each(engines)('communities of 1,201 topics on %s', (engine) => {
  let fixture: ServiceFixture | undefined;
  afterEach(async () => {
    await fixture?.close();
    fixture = undefined;
  });

  /** One topic is on all memories, each of which has others of its own. */
  const detectAll = async () => {
    fixture = await newServiceFixture(engine);
    const user = await fixture.newUser();
    for (let memory = 0; memory < memoryCount; memory++) {
      const own = Array.from({ length: topicsPerMemory }, (_, i) => `topic ${memory}-${i}`);
      await fixture.memories.create(
        user,
        { content: `Note ${memory}.`, topics: ['everywhere', ...own] },
        { conversationId: 'NEW' },
      );
    }
    /** All topics are one community. */
    const graph: GraphWorker = {
      run: async (name, task) => {
        const found = runGraphTask(name, task);
        if (!('groups' in found)) return found;
        const topics = found.groups.flatMap((group) => group.topics);
        return { ...found, groups: [{ topics, strengths: topics.map(() => 1) }] };
      },
    };
    const communities = new CommunityService({ stores: fixture.engine, clock: fixture.clock, graph });
    return { fixture, user, communities, detection: await communities.detect(user, 'louvain') };
  };

  it('a community that is read lets requests go between every 100 topics', async () => {
    const { fixture, user, detection } = await detectAll();
    const [{ id, topicCount } = { id: '', topicCount: 0 }] = detection.communities;
    expect(topicCount).toBe(memoryCount * topicsPerMemory + 1);
    const stored = fixture.engine.forUser(user).communities;
    expect(await turnsDuring(() => stored.find(id))).toBeGreaterThanOrEqual(topicCount / 100);
    expect((await stored.topicsOf(id)).length).toBe(topicCount);
    const [all] = await stored.listStored();
    expect(all?.topics.size).toBe(topicCount);
  });

  it('topics are numbered in the order of their names, whichever memories have them', async () => {
    const { fixture, user } = await detectAll();
    const stores = fixture.engine.forUser(user);
    const { topicIds, assignments } = await readAssignments(stores.graph);
    const names = await stores.graph.namesOf(topicIds.slice(0, 1000).map((id) => ({ kind: 'topic', id })));
    const nameOf = new Map(names.map(({ id, name }) => [id, name]));
    const inOrder = topicIds.slice(0, 1000).map((id) => nameOf.get(id));
    expect(inOrder).toEqual([...inOrder].sort());
    expect(assignments.topicCount).toBe(memoryCount * topicsPerMemory + 1);
    expect(assignments.topics.length).toBe(memoryCount * (topicsPerMemory + 1));
    expect(new Set(assignments.memories).size).toBe(memoryCount);
  });
});
