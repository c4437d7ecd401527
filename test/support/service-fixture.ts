import { randomUUID } from 'node:crypto';
import { openStorage } from '../../src/container.ts';
import { ConversationService } from '../../src/domain/conversations/conversation-service.ts';
import { MemoryService } from '../../src/domain/memories/memory-service.ts';
import { TopicService } from '../../src/domain/topics/topic-service.ts';
import type { User } from '../../src/domain/users/user.ts';
import type { StorageEngine } from '../../src/storage/engine.ts';
import { type Engine, newDatabase } from './database.ts';
import { testConfig } from './test-config.ts';

/** The services of the domain over an empty store; `clock.time` is what they take for now. */
export interface ServiceFixture {
  readonly engine: StorageEngine;
  readonly clock: { time: number; now(): number };
  readonly memories: MemoryService;
  readonly conversations: ConversationService;
  readonly topics: TopicService;
  newUser(): Promise<User>;
  close(): Promise<void>;
}

export async function newServiceFixture(name: Engine): Promise<ServiceFixture> {
  const database = await newDatabase(name);
  const config = testConfig({ MEMORYD_DATABASE_URL: database.url });
  const engine = await openStorage(config, { exclusive: true });
  const clock = { time: Date.parse('2026-01-01T00:00:00Z'), now: () => clock.time };
  const parts = { stores: engine, clock };
  return {
    engine,
    clock,
    memories: new MemoryService(parts),
    conversations: new ConversationService(parts),
    topics: new TopicService(parts),
    newUser: async () => {
      const user = `user-${randomUUID()}`;
      return engine.users.insert({
        publicId: randomUUID(),
        name: user,
        email: `${user}@example.test`,
        at: clock.time,
      });
    },
    close: async () => {
      await engine.close();
      await database.drop();
    },
  };
}
