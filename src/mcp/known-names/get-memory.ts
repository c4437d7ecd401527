import { Type } from 'typebox';
import { invalidInput } from '../../domain/shared/errors.ts';
import { idField, nameField } from '../fields.ts';
import { knownName } from '../known-name.ts';
import { budgetField } from '../tool.ts';
import { getTool } from '../tools/get.ts';

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
