import { Type } from 'typebox';
import { invalidInput } from '../../domain/shared/errors.ts';
import { queryField } from '../fields.ts';
import { budgetField } from '../tool.ts';
import { RecalledSchema, recall } from '../tools/recall.ts';
import { knownName } from './known-name.ts';

const hours = Type.Optional(Type.Integer({ minimum: 0, maximum: 8760, description: 'As in `recall`.' }));
const properties = {
  context: Type.Optional(queryField('What you are about to do.')),
  query: Type.Optional(queryField('Another name of `context`.')),
  task: Type.Optional(queryField('Another name of `context`.')),
  recentHours: hours,
  ...budgetField,
};

export const buildContextTool = knownName({
  name: 'build_context',
  title: 'Briefing for a task',
  description:
    'The same as `recall`: what is known about a task, what was written lately, where work went on.',
  scope: 'read',
  properties,
  output: RecalledSchema,
  run: async (context, { context: about, query, task, recentHours, maxTokens }) => {
    const subject = about ?? query ?? task;
    if (subject === undefined) throw invalidInput('context', 'is required: say what you are about to do');
    return recall(context, { task: subject, recentHours, maxTokens });
  },
});

export const initializeSessionTool = knownName({
  name: 'initialize_session',
  title: 'Begin a session',
  description:
    'What to know when a session begins: with `context` what is known about it, and always what was written lately and where work went on.',
  scope: 'read',
  properties: { context: properties.context, recentHours: hours, ...budgetField },
  output: RecalledSchema,
  run: (context, { context: task, recentHours, maxTokens }) =>
    recall(context, { task, recentHours, maxTokens }),
});
