import { performance } from 'node:perf_hooks';
import type { Conversation } from '../../bench/locomo/data-set.ts';
import { toMemory } from '../../bench/locomo/import-conversation.ts';
import { parseConfig } from '../../src/config/load.ts';
import { createServices, openStorage, type Services } from '../../src/container.ts';
import type { Relationship } from '../../src/domain/relationships/relationship.ts';
import type { User } from '../../src/domain/users/user.ts';
import { newDatabase } from '../../test/support/database.ts';
import { deriveAll } from '../../test/support/derive.ts';

/** An edge that the service made without confirmation, with the texts of both memories. */
export interface MadeEdge extends Pick<Relationship, 'type' | 'confidence' | 'reason'> {
  readonly earlier: string;
  readonly later: string;
}

export interface ServiceEdges {
  readonly memories: number;
  readonly edges: readonly MadeEdge[];
  readonly candidates: number;
  /** Processor time of both steps on one thread, in milliseconds per memory. */
  readonly msPerMemory: number;
}

const edgesMax = 1000;

/** Stores conversations in a new SQLite store, one user each, derives from them, and reads the edges made. */
export async function measureService(conversations: readonly Conversation[]): Promise<ServiceEdges> {
  const database = await newDatabase('sqlite');
  const config = parseConfig({ MEMORYD_DATABASE_URL: database.url, MEMORYD_EMBEDDER: 'static' });
  const storage = await openStorage(config, { exclusive: true });
  const services = createServices(config, storage);
  const stored: { user: User; texts: Map<string, string> }[] = [];
  for (const [i, conversation] of conversations.entries()) {
    const name = `chat-${i}`;
    const user = await storage.users.insert({ publicId: name, name, email: `${name}@bench.test`, at: 1 });
    stored.push({ user, texts: await store(services, user, conversation) });
  }
  const began = [performance.now(), process.cpuUsage()] as const;
  await deriveAll(services);
  const { user: cpu } = process.cpuUsage(began[1]);
  const memories = stored.reduce((sum, { texts }) => sum + texts.size, 0);
  const edges: MadeEdge[] = [];
  let candidates = 0;
  for (const { user, texts } of stored)
    for (const [id, later] of texts) {
      const made = await services.relationships.list(user, id, 'outgoing', edgesMax);
      for (const { targetMemoryId, type, confidence, reason } of made)
        edges.push({ type, confidence, reason, earlier: texts.get(targetMemoryId) ?? '', later });
      const around = await storage.forUser(user).foundRelationships.candidatesAround(id, edgesMax);
      candidates += around.filter(({ sourceMemoryId }) => sourceMemoryId === id).length;
    }
  await services.close();
  await storage.close();
  await database.drop();
  return { memories, edges, candidates, msPerMemory: cpu / 1000 / memories };
}

async function store(
  { memories }: Services,
  user: User,
  conversation: Conversation,
): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const session of conversation.sessions) {
    let conversationId = 'NEW';
    for (const turn of session.turns) {
      const { content, eventTime } = toMemory(turn, session, conversationId);
      const input = { content, eventTime: Date.parse(eventTime) };
      const { memory } = await memories.create(user, input, { conversationId });
      conversationId = memory.conversationId;
      texts.set(memory.id, content);
    }
  }
  return texts;
}
