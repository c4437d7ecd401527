import { Type } from 'typebox';
import { bulkIdsMax } from '../../domain/memories/limits.ts';
import { cutText, fitList } from '../budget.ts';
import { idField } from '../fields.ts';
import { budgetField, defineTool, strictObject } from '../tool.ts';

const input = strictObject({
  ids: Type.Array(idField('Id of a memory.'), {
    minItems: 1,
    maxItems: bulkIdsMax,
    description: 'Memories to forget, by their whole ids.',
  }),
  ...budgetField,
});

const FailureSchema = Type.Object({ id: Type.String(), reason: Type.String() });

const output = Type.Object({
  forgotten: Type.Integer(),
  failed: Type.Array(FailureSchema),
  omitted: Type.Integer({ description: 'Failures that did not fit into maxTokens.' }),
  note: Type.String(),
});

export const forgetTool = defineTool({
  name: 'forget',
  title: 'Forget memories',
  description:
    'Move memories to the trash: no search finds them any more; a person can restore them for some weeks. ' +
    'Only when the user asks for it, or for what was stored by mistake. What is merely out of date: `remember` with `supersedes`.',
  scope: 'write',
  isDestructive: true,
  input,
  output,
  run: async ({ services, user }, { ids, maxTokens }) => {
    const { done, errors } = await services.memories.bulkDelete(user, ids);
    const { items, omitted } = fitList(
      errors.map(({ id, error }) => ({ id: cutText(id, 100), reason: error })),
      maxTokens,
    );
    return {
      forgotten: done,
      failed: items,
      omitted,
      note: 'They are in the trash, from which a person can restore them.',
    };
  },
});
