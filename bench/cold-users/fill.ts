import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfig } from '../../src/config/load.ts';
import { createServices, openStorage } from '../../src/container.ts';
import { KeyService } from '../../src/domain/api-keys/key-service.ts';
import { UserService } from '../../src/domain/users/user-service.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { mapConcurrently } from '../../test/support/concurrently.ts';
import { type Corpus, generateCorpus } from '../http/corpus.ts';
import { englishWords } from '../http/english-words.ts';

export const memoriesOfEach = 1000;
/** Users written side by side. */
const writers = 64;

/** The memories of a user, by number. */
function corpusOfUser(index: number): Corpus {
  return generateCorpus(memoriesOfEach, 1 + index, englishWords());
}

/** Writes 1,000 memories of each user into a folder, once, without HTTP. @returns the key of each user */
export async function fillOnce(folder: string, users: number): Promise<string[]> {
  const made = join(folder, 'keys.json');
  if (existsSync(made)) return JSON.parse(readFileSync(made, 'utf8')) as string[];
  mkdirSync(folder, { recursive: true });
  const settings = parseConfig({
    MEMORYD_DATABASE_URL: `sqlite:${join(folder, 'memoryd.db')}`,
    MEMORYD_EMBEDDER: 'static',
    MEMORYD_DERIVE: 'false',
  });
  const storage = await openStorage(settings, { exclusive: true });
  const { memories, close } = createServices(settings, storage);
  const people = new UserService(storage.users, systemClock);
  const keys = new KeyService({ keys: storage.keys, stores: storage, clock: systemClock });
  const numbers = Array.from({ length: users }, (_, index) => index);
  const all = await mapConcurrently(numbers, writers, async (index) => {
    const user = await people.ensure(`user-${index}`);
    const { apiKey } = await keys.create(user, { label: 'bench' });
    const conversations = new Map<number, string>();
    for (const { conversation, eventTime, ...own } of corpusOfUser(index).memories) {
      const conversationId = conversations.get(conversation) ?? 'NEW';
      const body = { ...own, eventTime: Date.parse(eventTime) };
      const { memory } = await memories.create(user, body, { conversationId });
      conversations.set(conversation, memory.conversationId);
    }
    return apiKey;
  });
  await keys.flush();
  await close();
  await storage.close();
  writeFileSync(made, JSON.stringify(all));
  return all;
}

/** The first queries of a user, each drawn from one of the user's memories. */
export function queriesOf(user: number, count: number): string[] {
  return corpusOfUser(user).queries(count, 3);
}
