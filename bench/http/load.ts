import { mapConcurrently } from '../../test/support/concurrently.ts';
import { type Connection, callUntilResponse, openConnection } from './connection.ts';
import type { Corpus, GeneratedMemory } from './corpus.ts';

const loadersDefault = 24;
const bulkSize = 5_000;

export interface Owner {
  url: string;
  key: string;
}

/** Stores a corpus for the owner of a key: conversations side by side, turns in their order. */
export async function loadOurs(
  { url, key }: Owner,
  { memories }: Corpus,
  loaders = loadersDefault,
): Promise<void> {
  const idle = await Promise.all(Array.from({ length: loaders }, () => openConnection(url, key)));
  const all = [...idle];
  try {
    await mapConcurrently(toConversations(memories), loaders, async (turns) => {
      const connection = idle.pop();
      if (!connection) throw new Error('more loaders than connections');
      await loadConversation(connection, turns);
      idle.push(connection);
    });
  } finally {
    for (const connection of all) connection.close();
  }
}

function toConversations(memories: readonly GeneratedMemory[]): GeneratedMemory[][] {
  const conversations = new Map<number, GeneratedMemory[]>();
  for (const memory of memories) {
    const turns = conversations.get(memory.conversation) ?? [];
    turns.push(memory);
    conversations.set(memory.conversation, turns);
  }
  return [...conversations.values()];
}

async function loadConversation(connection: Connection, turns: readonly GeneratedMemory[]): Promise<void> {
  const made = await callUntilResponse<{ data: { id: string } }>(
    connection,
    { method: 'POST', path: '/api/conversations', body: { title: `Conversation ${turns[0]?.conversation}` } },
    201,
  );
  for (const { conversation: _, ...turn } of turns)
    await callUntilResponse(
      connection,
      { method: 'POST', path: '/api/memories', body: { ...turn, conversationId: made.body.data.id } },
      201,
    );
}

/** Puts the same rows into one store of the floor and merges its index. */
export async function loadFloor(
  url: string,
  store: string,
  { memories }: Corpus,
  vectorOf?: () => string,
): Promise<void> {
  const connection = await openConnection(url);
  try {
    for (let start = 0; start < memories.length; start += bulkSize) {
      const body = memories.slice(start, start + bulkSize).map(({ conversation, ...memory }) => ({
        ...memory,
        conversationId: `conv_${conversation}`,
        vector: vectorOf?.(),
      }));
      await callUntilResponse(connection, { method: 'POST', path: `/${store}/bulk`, body }, 200);
    }
    await callUntilResponse(connection, { method: 'POST', path: `/${store}/optimize`, body: {} }, 200);
  } finally {
    connection.close();
  }
}
