import { Type } from 'typebox';
import { memoryTypes, outcomes } from '../../domain/memories/memory.ts';
import { invalidInput } from '../../domain/shared/errors.ts';
import { choiceField, contentField, idField, nameField, topicsField } from '../fields.ts';
import { knownName } from '../known-name.ts';
import { memoryIdOf } from '../memory-reference.ts';
import { budgetField } from '../tool.ts';

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
