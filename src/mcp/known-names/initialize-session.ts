import { Type } from 'typebox';
import { queryField } from '../fields.ts';
import { knownName } from '../known-name.ts';
import { budgetField } from '../tool.ts';
import { RecalledSchema, recall } from '../tools/recall.ts';

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
