import type { Client } from '../../test/support/http-client.ts';
import type { Conversation, Session, Turn } from './data-set.ts';

/** Which turn each stored memory is: turn id by memory id. */
export type TurnIds = Map<string, string>;

/**
 * Stores a conversation for the owner of the client's key: each session a conversation, each turn a memory, one
 * after another, so that the service sees them in the order in which they were said.
 */
export async function importConversation(http: Client, conversation: Conversation): Promise<TurnIds> {
  const turnIds: TurnIds = new Map();
  for (const session of conversation.sessions) {
    const title = `Session ${session.number}`;
    const conversationId = (await create(http, '/api/conversations', { title })).id;
    for (const turn of session.turns) {
      const memory = await create(http, '/api/memories', toMemory(turn, session, conversationId));
      turnIds.set(memory.id, turn.id);
    }
  }
  return turnIds;
}

/** The body that creates the memory of one turn. */
export function toMemory(turn: Turn, session: Session, conversationId: string) {
  return {
    conversationId,
    content: toContent(turn),
    role: 'user',
    eventTime: session.startedAt,
  };
}

/** The same as JSON Lines of `npx memoryd import`, with `ID, session NUMBER` as the conversation. */
export function linesOf({ id, sessions }: Conversation): string[] {
  return sessions.flatMap((session) =>
    session.turns.map((turn) => {
      const { conversationId, ...body } = toMemory(turn, session, `${id}, session ${session.number}`);
      return JSON.stringify({ conversation: conversationId, ...body });
    }),
  );
}

/** The text of a turn without a speaker stands alone. */
export function toContent(turn: Turn): string {
  const shared = turn.imageCaption ? ` [shares ${turn.imageCaption}]` : '';
  return turn.speaker === '' ? `${turn.text}${shared}` : `${turn.speaker}: ${turn.text}${shared}`;
}

async function create(http: Client, path: string, body: object): Promise<{ id: string }> {
  const answer = await http.post<{ data: { id: string } }>(path, body);
  if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${answer.text}`);
  return answer.body.data;
}
