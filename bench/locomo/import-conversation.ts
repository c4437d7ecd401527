import type { Client } from '../../test/support/http-client.ts';
import type { Conversation, Session, Turn } from './data-set.ts';

/** Turn id by memory id. */
export type TurnIds = Map<string, string>;

/**
 * Stores a conversation for the owner of the client's key: one conversation per session, one memory per
 * turn, written one after another, so that the service gets them in the order in which they were said.
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

/** The conversation as JSON Lines for `npx memoryd import`, with `ID, session NUMBER` as conversation id. */
export function linesOf({ id, sessions }: Conversation): string[] {
  return sessions.flatMap((session) =>
    session.turns.map((turn) => {
      const { conversationId, ...body } = toMemory(turn, session, `${id}, session ${session.number}`);
      return JSON.stringify({ conversation: conversationId, ...body });
    }),
  );
}

/** Text of a memory: the speaker, if the turn has one, and the text of the turn. */
export function toContent(turn: Turn): string {
  const shared = turn.imageCaption ? ` [shares ${turn.imageCaption}]` : '';
  return turn.speaker === '' ? `${turn.text}${shared}` : `${turn.speaker}: ${turn.text}${shared}`;
}

async function create(http: Client, path: string, body: object): Promise<{ id: string }> {
  const answer = await http.post<{ data: { id: string } }>(path, body);
  if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${answer.text}`);
  return answer.body.data;
}
