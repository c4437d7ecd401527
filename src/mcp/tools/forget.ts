import { Type } from 'typebox';
import { bulkIdsMax } from '../../domain/memories/memory.ts';
import { cutText, fitList } from '../budget.ts';
import { idField } from '../fields.ts';
import { memoryIdsOf } from '../memory-reference.ts';
import { budgetField, defineTool, strictObject, type ToolContext } from '../tool.ts';

const input = strictObject({
  ids: Type.Array(idField('Id of a memory.'), {
    minItems: 1,
    maxItems: bulkIdsMax,
    description: 'Memories to forget.',
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

/** Entries of the trash that are looked at: those of this call are the newest, unless others delete at the same time. */
const entriesMax = 50;

interface Forgotten {
  readonly ids: readonly string[];
  readonly done: number;
}

async function noteOn({ services, user }: ToolContext, { ids, done }: Forgotten): Promise<string> {
  if (done === 0) return 'Nothing was forgotten: none of these ids is of a memory.';
  const newest = { kind: 'memory', limit: entriesMax, offset: 0 } as const;
  const { items } = await services.stores.forUser(user).trash.list(newest);
  const isThere = items.some(({ recordId }) => ids.includes(recordId));
  if (!isThere) return 'Erased for good: this service keeps no trash.';
  return done === 1
    ? 'It is in the trash, from which a person can restore it.'
    : 'They are in the trash, from which a person can restore them.';
}

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
  run: async (context, { ids: given, maxTokens }) => {
    const { services, user } = context;
    const { ids, ambiguous } = await memoryIdsOf(context, given);
    const { done, errors } = await services.memories.bulkDelete(user, ids);
    const { items, omitted } = fitList(
      [...errors, ...ambiguous].map(({ id, error }) => ({ id: cutText(id, 100), reason: error })),
      maxTokens,
    );
    return {
      forgotten: done,
      failed: items,
      omitted,
      note: await noteOn(context, { ids, done }),
    };
  },
});
