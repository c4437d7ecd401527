import { type Static, Type } from 'typebox';
import type { CreateRequest } from '../../domain/memories/create-memory.ts';
import { idLengthMax, sessionKeyLengthMax } from '../../domain/memories/memory.ts';
import { externalIdLengthMax } from '../../domain/shared/external-id.ts';
import { parseTime } from '../../domain/shared/time.ts';
import { contentField, nameField, statedFields, timeFields, toMemoryInput } from './memory-body.ts';
import { timeText } from './query.ts';

const sessionKey = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: sessionKeyLengthMax, description }));

export const CreateBody = Type.Object(
  {
    content: contentField,
    conversationId: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'NEW makes a conversation, an id appends to it; absent: by agent session, else the newest ' +
          'conversation made so if its last memory is at most 90 minutes old, else a new one.',
      }),
    ),
    agentSessionId: sessionKey('Groups memories by agent session; ignored when conversationId is given.'),
    claudeSessionId: sessionKey('Another name of agentSessionId.'),
    name: Type.Optional(nameField),
    externalId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: externalIdLengthMax,
        description:
          'What another system calls the memory, unique per user. If a memory has it already, nothing is ' +
          'written and that memory is returned unchanged, with status 200 and meta.existing; in the trash: 409.',
      }),
    ),
    createdAt: Type.Optional(
      timeText(
        'When it was written elsewhere, for imports; not in the future. Orders, lists and filters go by it; asOfTime ' +
          'goes by when it came to this service, which updatedAt says.',
      ),
    ),
    supersedes: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: idLengthMax,
        description: 'Id of a memory that is out of date now: it becomes superseded.',
      }),
    ),
    ...statedFields,
    ...timeFields,
  },
  { examples: [{ content: 'Deploys run from the main branch only.', topics: ['deploys', 'release'] }] },
);

/** A body that passed the schema, as the service takes it. @throws 422 for unreadable times */
export function toCreateRequest(body: Static<typeof CreateBody>): CreateRequest {
  return {
    input: { ...toMemoryInput(body), content: body.content },
    options: {
      conversationId: body.conversationId,
      agentSessionId: body.agentSessionId ?? body.claudeSessionId,
      externalId: body.externalId,
      supersedes: body.supersedes,
      createdAt: body.createdAt === undefined ? undefined : parseTime(body.createdAt, 'createdAt'),
    },
  };
}
