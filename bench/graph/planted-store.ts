import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '../../src/config/load.ts';
import { createServices, openStorage, type Services } from '../../src/container.ts';
import type { User } from '../../src/domain/users/user.ts';
import { chunksOf, groupBy } from '../../src/lib/collections.ts';
import type { StorageEngine } from '../../src/storage/engine.ts';
import { assignmentsOf, type Planted } from '../communities/planted.ts';

export interface PlantedStore {
  readonly services: Services;
  readonly user: User;
  readonly url: string;
  close(): Promise<void>;
}

const writtenAtOnce = 64;
/** Size of the vocabulary of the texts. */
const wordsMax = 5000;

/** Text of a memory with these topics: some words of each topic, and some common words. */
function textOf(memory: number, topics: readonly number[]): string {
  const words = topics.flatMap((topic) => [
    `word${topic % wordsMax}`,
    `word${(topic * 7 + memory) % wordsMax}`,
  ]);
  return `Note ${memory} says ${words.join(' and ')} with word${memory % 50}.`;
}

/**
 * A store with the memories of planted groups of topics; nothing is derived.
 * @param kept folder of the store, reused by later runs; if absent, a temporary folder that is removed
 * @param postgres an empty database to use instead of SQLite, with `kept`
 */
export async function openPlantedStore(
  planted: Planted,
  kept?: string,
  postgres?: string,
): Promise<PlantedStore> {
  if (kept !== undefined) await mkdir(kept, { recursive: true });
  const folder = kept ?? (await mkdtemp(join(tmpdir(), 'memoryd-graph-')));
  const url = postgres ?? `sqlite:${join(folder, 'memoryd.db')}`;
  const config = parseConfig({ MEMORYD_DATABASE_URL: url, MEMORYD_EMBEDDER: 'static' });
  const storage = await openStorage(config, { exclusive: true });
  const services = createServices(config, storage);
  const made = join(folder, `${nameOf(planted)}.txt`);
  const known = await readFile(made, 'utf8').catch(noneYet);
  const user =
    (known && (await storage.users.findByName(known))) || (await plant(storage, services, planted));
  await writeFile(made, user.name);
  return {
    services,
    user,
    url,
    close: async () => {
      await services.close();
      await storage.close();
      if (kept === undefined) await rm(folder, { recursive: true });
    },
  };
}

/** Prefix of the name of the user with these memories; also the file, written last, that records the user. */
const nameOf = ({ groups, topics, memories }: Planted) => `planted-${groups}-${topics}-${memories}`;

async function plant(storage: StorageEngine, services: Services, planted: Planted): Promise<User> {
  const name = `${nameOf(planted)}-${randomUUID()}`;
  const email = `${name}@example.test`;
  const user = await storage.users.insert({ publicId: randomUUID(), name, email, at: Date.now() });
  const { topics, memories } = assignmentsOf(planted, 1);
  const rows = Array.from(memories, (memory, i) => ({ memory, topic: topics[i] }));
  for (const batch of chunksOf([...groupBy(rows, ({ memory }) => memory)], writtenAtOnce))
    await Promise.all(
      batch.map(([memory, own]) => {
        const numbers = own.map(({ topic }) => topic);
        const content = textOf(memory, numbers);
        const body = { content, topics: numbers.map((topic) => `topic ${topic}`) };
        return services.memories.create(user, body, { conversationId: 'NEW' });
      }),
    );
  return user;
}

function noneYet(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
