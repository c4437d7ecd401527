import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '../../src/config/load.ts';
import { createServices, openStorage, type Services } from '../../src/container.ts';
import type { User } from '../../src/domain/users/user.ts';
import { groupBy } from '../../src/lib/group-by.ts';
import { assignmentsOf, type Planted } from '../communities/planted.ts';

export interface PlantedStore {
  readonly services: Services;
  readonly user: User;
  close(): Promise<void>;
}

const writtenAtOnce = 64;
/** Words that texts are made of. */
const wordsMax = 5000;

/** A text of a memory with these topics: some words of each, and some that many have. */
export function textOf(memory: number, topics: readonly number[]): string {
  const words = topics.flatMap((topic) => [
    `word${topic % wordsMax}`,
    `word${(topic * 7 + memory) % wordsMax}`,
  ]);
  return `Note ${memory} says ${words.join(' and ')} with word${memory % 50}.`;
}

/** An SQLite store in a folder of its own, with the memories of planted groups of topics; nothing is derived. */
export async function newPlantedStore(planted: Planted): Promise<PlantedStore> {
  const folder = await mkdtemp(join(tmpdir(), 'memoryd-graph-'));
  const config = parseConfig({ MEMORYD_DATABASE_URL: `sqlite:${join(folder, 'memoryd.db')}` });
  const storage = await openStorage(config, { exclusive: true });
  const services = createServices(config, storage);
  const name = `user-${randomUUID()}`;
  const at = Date.now();
  const user = await storage.users.insert({
    publicId: randomUUID(),
    name,
    email: `${name}@example.test`,
    at,
  });
  const { topics, memories } = assignmentsOf(planted, 1);
  const rows = Array.from(memories, (memory, i) => ({ memory, topic: topics[i] }));
  const all = [...groupBy(rows, ({ memory }) => memory)];
  for (let from = 0; from < all.length; from += writtenAtOnce)
    await Promise.all(
      all.slice(from, from + writtenAtOnce).map(([memory, own]) => {
        const numbers = own.map(({ topic }) => topic);
        const content = textOf(memory, numbers);
        const body = { content, topics: numbers.map((topic) => `topic ${topic}`) };
        return services.memories.create(user, body, { conversationId: 'NEW' });
      }),
    );
  return {
    services,
    user,
    close: async () => {
      await services.close();
      await storage.close();
      await rm(folder, { recursive: true });
    },
  };
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
