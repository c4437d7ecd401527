import { Type } from 'typebox';
import { fitMemories, listFields, pageCounts } from '../budget.ts';
import { limitField, nameField, offsetField } from '../fields.ts';
import { MemoryItemSchema, toMemoryItem } from '../records.ts';
import { budgetField, defineTool, strictObject } from '../tool.ts';

const input = strictObject({
  name: Type.Optional(nameField('Answer all versions of this one, newest first.')),
  limit: limitField(50, 200, 'memories'),
  offset: offsetField,
  ...budgetField,
});

const output = Type.Object({ memories: Type.Array(MemoryItemSchema), ...listFields });

export const namedTool = defineTool({
  name: 'named',
  title: 'Named memories',
  description:
    'The memories that have a fixed name (plans, conventions, preferences), each in its newest version, by name; with `name` the history of one. ' +
    'Call it to learn what standing knowledge there is; `get` reads one whole, `remember` with the name adds a version.',
  scope: 'read',
  input,
  output,
  run: async ({ services, user }, { name, limit, offset, maxTokens }) => {
    const { memories } = services;
    if (name !== undefined) {
      const head = await memories.history(user, name, { limit: 1, offset: 0 });
      const total = head.items[0]?.chainVersion ?? 1;
      const versions = await memories.history(user, name, { limit, offset });
      const fitted = fitMemories(
        versions.items.map((memory) => toMemoryItem(memory)),
        maxTokens,
      );
      const page = { total, offset, taken: versions.items.length };
      return { memories: fitted.items, ...pageCounts(fitted, page) };
    }
    const page = await services.stores.forUser(user).memories.listNamed({ limit, offset });
    const fitted = fitMemories(
      page.items.map((memory) => toMemoryItem(memory)),
      maxTokens,
    );
    const counts = pageCounts(fitted, { total: page.count, offset, taken: page.items.length });
    return { memories: fitted.items, ...counts };
  },
});
