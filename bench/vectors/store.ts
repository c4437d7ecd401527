import { randomUUID } from 'node:crypto';
import { parseConfig } from '../../src/config/load.ts';
import { createServices, openStorage } from '../../src/container.ts';
import type { User } from '../../src/domain/users/user.ts';
import { loadBundled } from '../../src/embedding/load-models.ts';
import { nearestCosines } from '../../src/search/arms/nearest-cosines.ts';
import { candidatesFor, type RetrievalDeps } from '../../src/search/candidates.ts';
import { IndexCache } from '../../src/search-index/index-cache.ts';
import type { UserIndex } from '../../src/search-index/rows/user-index.ts';
import { type Engine, newDatabase } from '../../test/support/database.ts';

/** A filter by topic, with the numbers from 0 of the memories that match it. */
export interface Filter {
  readonly name: string;
  readonly topic: string | undefined;
  keeps(i: number, size: number): boolean;
}

export const filters: readonly Filter[] = [
  { name: 'no filter', topic: undefined, keeps: () => true },
  { name: '1 in 10', topic: 'tenth', keeps: (i) => i % 10 === 3 },
  { name: '1 in 1,000', topic: 'thousandth', keeps: (i) => i % 1000 === 7 },
  { name: '10 in all', topic: 'ten', keeps: (i, size) => i % Math.floor(size / 10) === 5 },
];

const together = 500;
/** Interval of event times, which identify memories by number. */
const minuteMs = 60_000;

export interface VectorStore {
  readonly user: User;
  /** Loads the user's index as a new process does. */
  loadIndex(): Promise<{ ms: number; longestTurnMs: number; index: UserIndex }>;
  /** Numbers of the memories that the semantic arm gives, nearest first. */
  search(query: string, filter: Filter): Promise<number[]>;
  close(): Promise<void>;
}

/**
 * A store with these memories for one user and 500 of them for each of `others` users; searched without HTTP.
 */
export async function openVectorStore(
  engine: Engine,
  memories: readonly string[],
  others = 0,
): Promise<VectorStore> {
  const database = await newDatabase(engine);
  const config = parseConfig({ MEMORYD_DATABASE_URL: database.url, MEMORYD_EMBEDDER: 'static' });
  const storage = await openStorage(config, { exclusive: true });
  const services = createServices(config, storage);
  const newUser = () => {
    const name = randomUUID();
    return storage.users.insert({ publicId: name, name, email: `${name}@example.test`, at: 1 });
  };
  const write = async (user: User, texts: readonly string[]) => {
    for (let from = 0; from < texts.length; from += together)
      await Promise.all(
        texts.slice(from, from + together).map((content, k) => {
          const i = from + k;
          const kept = filters.filter(({ topic, keeps }) => topic && keeps(i, texts.length));
          const topics = kept.flatMap(({ topic }) => topic ?? []);
          return services.memories.create(user, { content, topics, eventTime: (i + 1) * minuteMs }, {});
        }),
      );
  };
  const user = await newUser();
  await write(user, memories);
  for (let other = 0; other < others; other++) {
    const from = (other * together) % memories.length;
    await write(await newUser(), memories.slice(from, from + together));
  }
  const readerFor: RetrievalDeps['readerFor'] = (ref) => storage.indexFor(ref);
  const newParts = () => ({
    stores: storage,
    indexes: new IndexCache({ bytesMax: 2 ** 30, readerFor }),
    readerFor,
  });
  let parts: RetrievalDeps = newParts();
  return {
    user,
    loadIndex: async () => {
      parts = newParts();
      const turns = watchTurns();
      const started = performance.now();
      const index = await parts.indexes.get(user, { withVectors: true });
      return { ms: performance.now() - started, longestTurnMs: turns.stop(), index };
    },
    search: async (query, { topic }) => {
      const filter = { includeSuperseded: true, topics: topic ? [topic] : undefined };
      const { index, view, passes } = await candidatesFor(parts, user, filter);
      const cosines = await nearestCosines(loadBundled().bundled.embedNow(query), {
        reader: readerFor(user),
        view,
        passes,
        isFiltered: topic !== undefined,
        requested: 20,
      });
      return [...cosines]
        .filter(([row]) => passes(row))
        .sort((a, b) => b[1] - a[1])
        .map(([row]) => index.columns.eventTime[row] / minuteMs - 1);
    },
    close: async () => {
      await services.close();
      await storage.close();
      await database.drop();
    },
  };
}

/** Measures the longest time for which the event loop is blocked. */
function watchTurns(): { stop(): number } {
  let last = performance.now();
  let longest = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1);
  return {
    stop: () => {
      clearInterval(timer);
      return Math.max(longest, performance.now() - last);
    },
  };
}
