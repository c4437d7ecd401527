import { Type } from 'typebox';
import { memoryTypes, roles } from '../../domain/memories/memory.ts';
import { parseTime } from '../../domain/shared/time.ts';
import { choiceField, contentField, idField, nameField, timeField, topicsField } from '../fields.ts';
import { knownName } from '../known-name.ts';
import { budgetField } from '../tool.ts';
import { RememberedSchema, remember } from '../tools/remember.ts';

const text = Type.Optional(Type.String());

export const createMemoryTool = knownName({
  name: 'create_memory',
  title: 'Store a memory',
  description: 'The same as `remember`: stores one memory, or a version of the memory that has the name.',
  scope: 'write',
  properties: {
    content: contentField('What to remember.'),
    conversationId: Type.Optional(idField('NEW, or the conversation to append to.')),
    topics: Type.Optional(topicsField('Words to filter by.')),
    name: Type.Optional(nameField('A fixed name for what changes over time.')),
    memoryType: Type.Optional(choiceField(memoryTypes, 'What kind of memory it is.')),
    role: Type.Optional(choiceField(roles, 'Who said it.')),
    context: Type.Optional(Type.String({ description: 'Where it comes from, in a few words.' })),
    eventTime: Type.Optional(timeField('When it happened.')),
    supersedes: Type.Optional(idField('Id of a memory that it replaces.')),
    codeContext: Type.Optional(
      Type.Object(
        { product: text, repo: text, service: text, component: text, team: text, role: text },
        { description: 'Where in a body of code it belongs.' },
      ),
    ),
    ...budgetField,
  },
  output: RememberedSchema,
  run: (context, args) => {
    const { content, conversationId, topics, name, memoryType, role, supersedes, codeContext } = args;
    const eventTime = args.eventTime === undefined ? undefined : parseTime(args.eventTime, 'eventTime');
    const input = { content, topics, name, memoryType, role, codeContext, eventTime, context: args.context };
    return remember(context, { ...input, conversationId, supersedes });
  },
});
