import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../../../test/support/database.ts';
import { newServiceFixture, type ServiceFixture } from '../../../test/support/service-fixture.ts';
import { withMembers } from '../../../test/support/with-members.ts';
import { changeMemory } from '../memories/change-memory.ts';
import type { EffectiveState, Memory } from '../memories/memory.ts';
import type { Stores } from '../shared/stores.ts';
import { writeAs } from '../shared/write.ts';
import type { User } from '../users/user.ts';
import { RelationshipService } from './relationship-service.ts';

describe.each(engines)('RelationshipService on %s', (engine) => {
  let fixture: ServiceFixture;
  let user: User;
  beforeAll(async () => {
    fixture = await newServiceFixture(engine);
    user = await fixture.newUser();
  });
  afterAll(() => fixture.close());

  /** A service that calls `before` before each of its transactions, and `after` with what each returned. */
  function watched({
    before = async () => undefined,
    after = () => undefined,
  }: {
    before?: () => Promise<unknown>;
    after?: (result: unknown) => void;
  }): RelationshipService {
    const stores: Stores = {
      forUser: (ref) => {
        const own = fixture.engine.forUser(ref);
        return withMembers(own, {
          transaction: async (body) => {
            await before();
            const result = await own.transaction(body);
            after(result);
            return result;
          },
        });
      },
    };
    return new RelationshipService({ stores, clock: fixture.clock });
  }

  const write = async () =>
    (await fixture.memories.create(user, { content: 'a note' }, { conversationId: 'NEW' })).memory;
  const state = (memories: readonly Memory[], effectiveState: EffectiveState) =>
    writeAs({ stores: fixture.engine, clock: fixture.clock }, user, async (write) => {
      for (const memory of memories) await changeMemory(write, memory, { effectiveState });
    });
  const supersede = (source: Memory, target: Memory) =>
    watched({}).create(user, source.id, {
      targetMemoryId: target.id,
      type: 'SUPERSEDES',
      confidence: 1,
      reason: null,
    });

  it('a repair of states works in small transactions, so that others write between them', async () => {
    const memories: Memory[] = [];
    for (let i = 0; i < 12; i++) memories.push(...(await Promise.all(Array.from({ length: 50 }, write))));
    await state(memories, 'duplicate');
    const steps: number[] = [];
    const service = watched({
      before: write,
      after: (result) => steps.push(Array.isArray(result) ? result.length : Number.NaN),
    });
    const repaired = await service.repairStates(user);
    expect(Math.max(...steps)).toBeLessThanOrEqual(50);
    expect(steps.reduce((sum, step) => sum + step, 0)).toBe(memories.length);
    expect(new Set(repaired.map(({ memoryId }) => memoryId))).toEqual(new Set(memories.map(({ id }) => id)));
    steps.length = 0;
    expect(await service.repairStates(user)).toEqual([]);
    expect(steps).toEqual([]);
  });

  it('a repair of states does not undo what was stated after it found a state wrong', async () => {
    const [newer, older] = [await write(), await write()];
    await state([older], 'duplicate');
    const service = watched({ before: () => supersede(newer, older) });
    expect(await service.repairStates(user)).toEqual([]);
    expect((await fixture.memories.get(user, older.id)).effectiveState).toBe('superseded');
  });
});
