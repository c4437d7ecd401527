import { type Static, Type } from 'typebox';
import type { Conversation } from '../../domain/conversations/conversation.ts';
import { invalidInput } from '../../domain/shared/errors.ts';
import { cutText, fitList, fitMemories, listFields, pageCounts, tokensOf } from '../budget.ts';
import {
  idField,
  limitField,
  MemoryItemSchema,
  offsetField,
  queryField,
  toDate,
  toMemoryItem,
} from '../fields.ts';
import { budgetField, defineTool, strictObject, type ToolContext } from '../tool.ts';

const titleTokensMax = 60;
const summaryTokensMax = 200;
const summariesFrom = 1000;

const input = strictObject({
  query: Type.Optional(queryField('Those about this.')),
  conversationId: Type.Optional(idField('Read this one, in its order.')),
  limit: limitField(10, 100),
  offset: offsetField,
  ...budgetField,
});

const ConversationItemSchema = Type.Object({
  id: Type.String(),
  title: Type.String(),
  memoryCount: Type.Integer(),
  lastActivityAt: Type.String(),
  summary: Type.Optional(Type.String()),
});
type ConversationItem = Static<typeof ConversationItemSchema>;

/** @param maxTokens of the answer: a small one has no room for summaries */
export function toConversationItem(conversation: Conversation, maxTokens: number): ConversationItem {
  const { id, title, memoryCount, lastActivityAt, summary } = conversation;
  return {
    id,
    title: cutText(title, titleTokensMax),
    memoryCount,
    lastActivityAt: toDate(lastActivityAt),
    ...(summary !== null && maxTokens >= summariesFrom && { summary: cutText(summary, summaryTokensMax) }),
  };
}

type Request = Static<typeof input>;

async function list({ services, user }: ToolContext, { limit, offset, maxTokens }: Request) {
  const page = await services.conversations.list(user, {
    limit,
    offset,
    sortBy: 'lastActivityAt',
    order: 'desc',
  });
  const fitted = fitList(
    page.items.map((item) => toConversationItem(item, maxTokens)),
    maxTokens,
  );
  const counts = pageCounts(fitted, { total: page.count, offset, taken: page.items.length });
  return { conversations: fitted.items, ...counts };
}

async function find({ services, user }: ToolContext, query: string, { limit, offset, maxTokens }: Request) {
  const { hits, total } = await services.search.conversations(user, query, offset + limit);
  const found = hits.slice(offset).map(({ conversation }) => toConversationItem(conversation, maxTokens));
  const fitted = fitList(found, maxTokens);
  return { conversations: fitted.items, ...pageCounts(fitted, { total, offset, taken: found.length }) };
}

async function read({ services, user }: ToolContext, id: string, { limit, offset, maxTokens }: Request) {
  const conversation = toConversationItem(await services.conversations.get(user, id), maxTokens);
  const page = await services.search.conversationTimeline(user, id, { limit, offset });
  const items = page.items.map(toMemoryItem);
  const fitted = fitMemories(items, maxTokens - tokensOf(conversation));
  const counts = pageCounts(fitted, { total: page.count, offset, taken: items.length });
  return { conversation, memories: fitted.items, ...counts };
}

export const conversationsTool = defineTool({
  name: 'conversations',
  title: 'List, find or read conversations',
  description:
    'The conversations (work sessions) with the newest activity, or about a subject; with `conversationId` its memories in order.',
  scope: 'read',
  input,
  output: Type.Object({
    conversations: Type.Optional(Type.Array(ConversationItemSchema)),
    conversation: Type.Optional(ConversationItemSchema),
    memories: Type.Optional(Type.Array(MemoryItemSchema)),
    ...listFields,
  }),
  run: async (context, request) => {
    const { query, conversationId } = request;
    if (query !== undefined && conversationId !== undefined)
      throw invalidInput('the call', 'must give query or conversationId, not both');
    if (conversationId !== undefined) return read(context, conversationId, request);
    return query === undefined ? list(context, request) : find(context, query, request);
  },
});
