import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { type ChatTurn, readChatMessage } from '../../../domain/conversations/chat-message.ts';
import { type Conversation, titleLengthMax } from '../../../domain/conversations/conversation.ts';
import { titleFrom } from '../../../domain/conversations/place-memory.ts';
import { contentLengthMax } from '../../../domain/memories/memory.ts';
import { invalidInput } from '../../../domain/shared/errors.ts';
import { type Ensured, externalIdLengthMax, shortExternalId } from '../../../domain/shared/external-id.ts';
import { splitText } from '../../../domain/shared/split-text.ts';
import { parseTime } from '../../../domain/shared/time.ts';
import { AlreadyRespondedError, keyedActOfPart } from '../../keyed-act.ts';
import type { Route } from '../../route-plugin.ts';
import { bodyOf } from '../../schemas/envelope.ts';
import { statedFields, topicsField } from '../../schemas/memory-body.ts';
import type { AppServices } from '../../services.ts';
import { BulkCreate, BulkResultSchema, createList } from './bulk-create.ts';

/** Messages of one request. */
const messagesMax = 1000;

const Message = Type.Unsafe<Readonly<Record<string, unknown>>>({
  type: 'object',
  additionalProperties: true,
  description:
    '`role` and `content`, a text or blocks, as the chat APIs of OpenAI and Anthropic have them. `id`, if it has one, tells it ' +
    'from others of the conversation; `createdAt` (or `created_at`, `timestamp`) says when it was written.',
});

const Body = Type.Object(
  {
    messages: Type.Array(Message, { minItems: 1, maxItems: messagesMax }),
    conversationId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 500, description: 'The conversation that they continue.' }),
    ),
    externalId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: externalIdLengthMax,
        description:
          'What another system calls the conversation, such as the id of its thread: it is made, or continued if it is ' +
          'there. It must not be sent with conversationId. Without both, each request makes a conversation.',
      }),
    ),
    title: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: titleLengthMax,
        description: 'Of a conversation that is made; default: the beginning of its first turn.',
      }),
    ),
    topics: Type.Optional(topicsField),
    codeContext: statedFields.codeContext,
    metadata: statedFields.metadata,
  },
  {
    examples: [
      {
        externalId: 'thread-42',
        messages: [
          { role: 'system', content: 'You are a travel agent.' },
          { role: 'user', content: 'I prefer the window seat on night trains.' },
          { role: 'assistant', content: [{ type: 'text', text: 'Noted: a window seat.' }] },
        ],
      },
    ],
  },
);
type Body = Static<typeof Body>;

const Response = bodyOf('What became of each turn.', {
  data: Type.Array(BulkResultSchema, {
    description: 'One for each turn, in their order; `index` is the place of its message in `messages`.',
  }),
  meta: Type.Object({
    conversationId: Type.Optional(Type.String({ description: 'Absent if no message is a turn.' })),
    created: Type.Integer(),
    existing: Type.Integer({ description: 'Turns that the conversation has already.' }),
    refused: Type.Integer(),
    leftOut: Type.Record(Type.String(), Type.Integer(), {
      description:
        'Messages that are no turns, by the reason: "system message", "tool message", "empty message".',
    }),
  }),
});

const description =
  'A chat as an LLM API has it becomes turns of a conversation: memories of the roles `user` and `assistant`, from which ' +
  'entities, topics and facts are derived as from any other. System messages, calls of tools and their results, and reasoning ' +
  `are left out and counted. A text of more than ${contentLengthMax} characters becomes several memories. A turn that the ` +
  'conversation has already is not stored again, so that the whole chat may be sent again and again: it is known by the `id` of ' +
  'its message, and without one by role and text, the second of two equal ones in a request being another turn. This takes ' +
  'conversationId or externalId, or messages with an `id`. The time of a message is a text of ISO 8601, or a number of seconds ' +
  'since 1970 (of milliseconds above 1e11; 0 and less are no time). With an `Idempotency-Key` a repetition continues where the first ' +
  'request ended.';

interface Turn extends ChatTurn {
  /** Place of the message. */
  readonly index: number;
}

function turnsOf(messages: Body['messages']) {
  const turns: Turn[] = [];
  const leftOut: Record<string, number> = {};
  for (const [index, message] of messages.entries()) {
    const read = readChatMessage(message);
    if ('leftOut' in read) leftOut[read.leftOut] = (leftOut[read.leftOut] ?? 0) + 1;
    else turns.push({ ...read, index });
  }
  return { turns, leftOut };
}

/** A number that is no time stays as it is, for the error that names it; some programs write 0 for an unknown time. */
function timeOf(time: unknown): string | undefined {
  if (typeof time === 'string') return time;
  if (typeof time !== 'number' || time <= 0) return undefined;
  return time < 1e14 ? new Date(time > 1e11 ? time : time * 1000).toISOString() : String(time);
}

/** Bodies of `POST /api/memories`, several for a text that is too long. */
function memoriesOf(turns: readonly Turn[], conversationId: string, { externalId, ...given }: Body) {
  const { topics, codeContext, metadata } = given;
  const known = externalId ?? given.conversationId;
  const seen = new Map<string, number>();
  const idOf = ({ id, role, text }: Turn): string | undefined => {
    if (id !== undefined) return `${known ?? 'message'}:${id}`;
    if (known === undefined) return undefined;
    const said = hash('sha256', JSON.stringify([role, text]), 'base64url');
    const count = (seen.get(said) ?? 0) + 1;
    seen.set(said, count);
    return `${known}:${said}${count > 1 ? `:${count}` : ''}`;
  };
  return turns.flatMap((turn) => {
    const { role, text, attachments, index } = turn;
    const externalId = idOf(turn);
    const time = timeOf(turn.time);
    return splitText(text, contentLengthMax).map((content, part) => ({
      index,
      body: {
        content,
        role,
        conversationId,
        topics,
        codeContext,
        ...(externalId !== undefined && {
          externalId: shortExternalId(part === 0 ? externalId : `${externalId}#${part + 1}`),
        }),
        ...(time !== undefined && { createdAt: time, eventTime: time }),
        ...((metadata || attachments.length > 0) && {
          metadata: { ...metadata, ...(attachments.length > 0 && { attachments }) },
        }),
      },
    }));
  });
}

export const createFromMessages: Route = (app, { memories, conversations }) =>
  app.post(
    '/api/memories/from-messages',
    {
      schema: {
        operationId: 'createMemoriesFromMessages',
        tags: ['Memories'],
        summary: 'Store a chat as turns of a conversation',
        description,
        body: Body,
        response: { 200: Response },
      },
    },
    async (request) => {
      const { body } = request;
      if (body.conversationId !== undefined && body.externalId !== undefined)
        throw invalidInput('externalId', 'must not be sent with conversationId');
      const { turns, leftOut } = turnsOf(body.messages);
      if (turns.length === 0) return { data: [], meta: { created: 0, existing: 0, refused: 0, leftOut } };
      const conversationId = await conversationOf({ conversations }, request, body, turns[0]);
      const made = memoriesOf(turns, conversationId, body);
      const create = new BulkCreate(memories, request, { firstPart: 1 });
      const { data, meta } = await createList(
        create,
        made.map((one) => one.body),
      );
      const { created, existing, refused } = meta;
      return {
        data: data.map((result) => ({ ...result, index: made[result.index].index })),
        meta: { conversationId, created, existing, refused, leftOut },
      };
    },
  );

/** The conversation of the turns, which is made if it is not there. @throws 404, 409 if it is in the trash */
async function conversationOf(
  { conversations }: Pick<AppServices, 'conversations'>,
  request: FastifyRequest,
  { conversationId, externalId, title }: Body,
  first: Turn,
): Promise<string> {
  if (conversationId !== undefined) return (await conversations.get(request.user, conversationId)).id;
  const time = timeOf(first.time);
  const input = {
    title: title ?? titleFrom(first.text),
    externalId,
    createdAt: time === undefined ? undefined : parseTime(time, `messages[${first.index}].createdAt`),
  };
  const part = { number: 0, fingerprint: request.keyed?.fingerprint ?? '' };
  const act = keyedActOfPart<Ensured<Conversation>>(request, part, ({ record }) => record.id);
  try {
    return (await conversations.create(request.user, input, act)).record.id;
  } catch (error) {
    if (error instanceof AlreadyRespondedError) return error.response.body;
    throw error;
  }
}
