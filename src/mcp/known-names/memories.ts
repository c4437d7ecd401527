import { Type } from 'typebox';
import { memoryTypes, outcomes, roles } from '../../domain/memories/memory.ts';
import { invalidInput } from '../../domain/shared/errors.ts';
import { parseTime, parseWindowStart, toIso } from '../../domain/shared/time.ts';
import {
  choiceField,
  contentField,
  idField,
  limitField,
  nameField,
  offsetField,
  queryField,
  timeField,
  topicsField,
  windowField,
} from '../fields.ts';
import { knownName } from '../known-name.ts';
import { memoryIdOf } from '../memory-reference.ts';
import { budgetField } from '../tool.ts';
import { searchTool } from '../tools/find.ts';
import { getTool } from '../tools/get.ts';
import { RecalledSchema, recall } from '../tools/recall.ts';
import { RememberedSchema, remember } from '../tools/write.ts';

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

export const getMemoryTool = knownName({
  name: 'get_memory',
  title: 'Read a memory',
  description: 'The same as `get`: one memory whole, by id or name.',
  scope: 'read',
  properties: {
    id: Type.Optional(idField('Id of the memory.')),
    memoryId: Type.Optional(idField('Another name of `id`.')),
    name: Type.Optional(nameField('Name of the memory.')),
    ...budgetField,
  },
  output: getTool.output,
  run: async (context, { id, memoryId, name, maxTokens }) => {
    const target = id ?? memoryId;
    if (target === undefined && name === undefined) throw invalidInput('id', 'or name is required');
    return getTool.run(context, { id: target, name, from: 0, maxTokens });
  },
});

export const searchMemoriesTool = knownName({
  name: 'search_memories',
  title: 'Search memories',
  description: 'The same as `search`: memories by meaning and words, best first.',
  scope: 'read',
  properties: {
    query: queryField('What to find.'),
    limit: limitField(5, 100),
    offset: offsetField,
    topics: Type.Optional(topicsField('Only memories with any of these topics.')),
    recent: Type.Optional(windowField('Only what happened within this time, such as 24h or 7d.')),
    ...budgetField,
  },
  output: searchTool.output,
  run: (context, { recent, ...request }) => {
    const now = context.services.clock.now();
    const from = recent === undefined ? undefined : toIso(parseWindowStart(recent, 'recent', now));
    return searchTool.run(context, { ...request, from });
  },
});

const actions = ['update', 'delete'] as const;

export const manageMemoryTool = knownName({
  name: 'manage_memory',
  title: 'Update or delete a memory',
  description: 'update: as the tool `update`; delete: as `forget`, for one memory.',
  scope: 'write',
  isDestructive: true,
  properties: {
    action: choiceField(actions, 'What to do.'),
    id: Type.Optional(idField('Id of the memory.')),
    memoryId: Type.Optional(idField('Another name of `id`.')),
    content: Type.Optional(contentField('The new text.')),
    topics: Type.Optional(topicsField('All topics it shall have.')),
    name: Type.Optional(nameField('A fixed name for it.')),
    memoryType: Type.Optional(choiceField(memoryTypes, 'The type it shall have.')),
    outcome: Type.Optional(choiceField(outcomes, 'Whether what it tells of was resolved.')),
    ...budgetField,
  },
  output: Type.Object({ id: Type.String(), done: choiceField(['updated', 'deleted'], 'What was done.') }),
  run: async (context, { action, id, memoryId, maxTokens: _, ...rest }) => {
    const { services, user } = context;
    const given = id ?? memoryId;
    if (given === undefined) throw invalidInput('id', 'is required');
    const target = await memoryIdOf(context, given);
    if (action === 'delete') {
      await services.memories.delete(user, target);
      return { id: target, done: 'deleted' };
    }
    const { content, topics, name, memoryType, outcome } = rest;
    const change = { content, topics, name, memoryType, outcome };
    if (Object.values(change).every((value) => value === undefined))
      throw invalidInput('the call', 'must give something to change');
    await services.memories.update(user, target, change);
    return { id: target, done: 'updated' };
  },
});

export const initializeSessionTool = knownName({
  name: 'initialize_session',
  title: 'Begin a session',
  description:
    'What to know when a session begins: with `context` what is known about it, and always what was written lately and where work went on.',
  scope: 'read',
  properties: {
    context: Type.Optional(queryField('What you are about to do.')),
    recentHours: Type.Optional(Type.Integer({ minimum: 0, maximum: 8760, description: 'As in `recall`.' })),
    ...budgetField,
  },
  output: RecalledSchema,
  run: (context, { context: task, recentHours, maxTokens }) =>
    recall(context, { task, recentHours, maxTokens }),
});
