import { Type } from 'typebox';
import { memoryTypes, outcomes } from '../../domain/memories/memory.ts';
import { invalidInput } from '../../domain/shared/errors.ts';
import { parseTime } from '../../domain/shared/time.ts';
import {
  choiceField,
  contentField,
  idField,
  metadataField,
  nameField,
  timeField,
  topicsField,
} from '../fields.ts';
import { memoryIdOf } from '../memory-reference.ts';
import { secretWarning, warningField } from '../records.ts';
import { budgetField, defineTool, strictObject } from '../tool.ts';

const input = strictObject({
  id: idField('Id of the memory to change.'),
  content: Type.Optional(
    contentField('The new text. What held before and no longer does: better `remember` with supersedes.'),
  ),
  topics: Type.Optional(topicsField('All topics it shall have; an empty list takes them away.')),
  name: Type.Optional(nameField('A fixed name for it.')),
  memoryType: Type.Optional(choiceField(memoryTypes, 'The type it shall have.')),
  outcome: Type.Optional(choiceField(outcomes, 'Whether what it tells of was resolved.')),
  eventTime: Type.Optional(timeField('When it happened, ISO 8601.')),
  metadata: Type.Optional(metadataField),
  ...budgetField,
});

const output = Type.Object({
  id: Type.String(),
  updatedAt: Type.String(),
  changed: Type.Array(Type.String(), { description: 'What the call stated.' }),
  ...warningField,
});

export const updateTool = defineTool({
  name: 'update',
  title: 'Correct a memory',
  description:
    'Correct a memory in place: its text, topics, name, type or outcome; what is not given stays. ' +
    'For a mistake in what was written. Where the world changed, call `remember` with `supersedes`, so that the old stays in the history.',
  scope: 'write',
  isDestructive: true,
  input,
  output,
  run: async (context, { id, maxTokens: _, eventTime, ...stated }) => {
    const { services, user } = context;
    const change = {
      ...stated,
      ...(eventTime !== undefined && { eventTime: parseTime(eventTime, 'eventTime') }),
    };
    const changed = Object.keys(change);
    if (changed.length === 0) throw invalidInput('the call', 'must give something to change');
    const memory = await services.memories.update(user, await memoryIdOf(context, id), change);
    return {
      id: memory.id,
      updatedAt: new Date(memory.updatedAt).toISOString(),
      changed,
      ...secretWarning(stated.content),
    };
  },
});
