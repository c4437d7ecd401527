import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as config from '../../src/config/load.ts';
import type * as container from '../../src/container.ts';
import type { SearchOutcome, SearchRequest } from '../../src/search/request.ts';
import { type Corpus, generateCorpus } from '../http/corpus.ts';
import { englishWords } from '../http/english-words.ts';

const turnsPerConversation = 40;
/** Conversations written side by side. */
const writers = 64;
/** The one user of the store. */
export const searchedUser = 'search-time';

/** Memories in conversations of 40, of words that have vectors and synonyms. */
export function corpusOf(size: number): Corpus {
  return generateCorpus(size, size, englishWords());
}

/** Our service over a store of its own, without HTTP. */
export interface OpenSearch {
  search(query: string, request?: Partial<SearchRequest>): Promise<SearchOutcome>;
  close(): Promise<void>;
}

/** The sources of a checkout, this one or another to compare with. */
interface Sources {
  readonly container: typeof container;
  readonly config: typeof config;
  readonly defaults: Partial<SearchRequest>;
}

const defaultsPath = 'search/request.ts';
/** In checkouts from before `src/search`. */
const formerDefaultsPath = 'retrieval/search-defaults.ts';

async function sourcesOf(root: string): Promise<Sources> {
  const load = (path: string) => import(pathToFileURL(join(root, 'src', path)).href);
  return {
    container: await load('container.ts'),
    config: await load('config/load.ts'),
    defaults: (await load(existsSync(join(root, 'src/search')) ? defaultsPath : formerDefaultsPath))
      .searchDefaults,
  };
}

async function openServices({ config: { parseConfig }, container }: Sources, folder: string) {
  const settings = parseConfig({
    MEMORYD_DATABASE_URL: `sqlite:${join(folder, 'memoryd.db')}`,
    MEMORYD_EMBEDDER: 'static',
    MEMORYD_DERIVE: 'false',
  });
  const storage = await container.openStorage(settings, { exclusive: true });
  const services = container.createServices(settings, storage);
  return { storage, services };
}

/** Writes the corpus into a folder, once, by the sources of `root`. */
export async function fillOnce(folder: string, corpus: Corpus, root: string): Promise<void> {
  const made = join(folder, 'made');
  if (existsSync(made)) return;
  mkdirSync(folder, { recursive: true });
  const { storage, services } = await openServices(await sourcesOf(root), folder);
  const email = `${searchedUser}@example.test`;
  const user = await storage.users.insert({
    publicId: randomUUID(),
    name: searchedUser,
    email,
    at: Date.now(),
  });
  const conversations = Math.ceil(corpus.memories.length / turnsPerConversation);
  let next = 0;
  const write = async () => {
    while (next < conversations) {
      const from = next++ * turnsPerConversation;
      let conversationId = 'NEW';
      for (const { content, memoryType, topics, eventTime } of corpus.memories.slice(
        from,
        from + turnsPerConversation,
      )) {
        const body = { content, memoryType, topics, eventTime: Date.parse(eventTime) };
        const { memory } = await services.memories.create(user, body, { conversationId });
        conversationId = memory.conversationId;
      }
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  await services.close();
  await storage.close();
  writeFileSync(made, `${corpus.memories.length}`);
}

/** A copy of the store, because only one process may open a store, and a newer build migrates its schema. */
export function copyOf(folder: string, copy: string): string {
  cpSync(folder, copy, { recursive: true });
  return copy;
}

export async function openSearch(root: string, folder: string): Promise<OpenSearch> {
  const sources = await sourcesOf(root);
  const { storage, services } = await openServices(sources, folder);
  const user = await storage.users.findByName(searchedUser);
  if (!user) throw new Error(`hollow: ${folder} has no memories`);
  return {
    search: (query, request) =>
      services.search.search(user, { ...sources.defaults, limit: 20, ...request, query } as SearchRequest),
    close: async () => {
      await services.close();
      await storage.close();
    },
  };
}
