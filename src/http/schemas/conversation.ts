import { type Static, Type } from 'typebox';
import type { Conversation } from '../../domain/conversations/conversation.ts';
import { toIso } from '../../domain/shared/time.ts';
import { component } from './component.ts';
import { sampleIds } from './samples.ts';

export const ConversationSchema = Type.Object(
  {
    id: Type.String({ examples: [sampleIds.conversation] }),
    title: Type.String({
      description:
        'As given; that of a conversation made for a memory is the beginning of its oldest memory that is not ' +
        'deleted, `Untitled` where there is none.',
    }),
    summary: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    memoryCount: Type.Integer(),
    messageCount: Type.Integer({ description: 'The same as memoryCount.' }),
    lastActivityAt: Type.String({
      description: 'The createdAt of its newest memory, else of the conversation.',
    }),
    createdAt: Type.String(),
    updatedAt: Type.String(),
  },
  component('Conversation'),
);

/** Maximum bytes of a conversation as JSON; a character takes at most six. */
export function conversationBytesMax({ title, summary }: Pick<Conversation, 'title' | 'summary'>): number {
  return 600 + 6 * (title.length + (summary?.length ?? 0));
}

export function toConversationRecord(conversation: Conversation): Static<typeof ConversationSchema> {
  return {
    id: conversation.id,
    title: conversation.title,
    summary: conversation.summary,
    memoryCount: conversation.memoryCount,
    messageCount: conversation.memoryCount,
    lastActivityAt: toIso(conversation.lastActivityAt),
    createdAt: toIso(conversation.createdAt),
    updatedAt: toIso(conversation.updatedAt),
  };
}
