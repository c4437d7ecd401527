import { Type } from 'typebox';
import { parseWindowStart } from '../../domain/shared/time.ts';
import { fitMemories, listFields, pageCounts } from '../budget.ts';
import { idField, limitField, offsetField, topicsField, windowField } from '../fields.ts';
import { MemoryItemSchema, toMemoryItem } from '../records.ts';
import { budgetField, defineTool, strictObject } from '../tool.ts';

const input = strictObject({
  within: Type.Optional(windowField('Only what was written within this time, such as 24h, 7d or 1mo.')),
  topics: Type.Optional(topicsField('Only memories with any of these topics.')),
  conversationId: Type.Optional(idField('Only memories of this conversation.')),
  limit: limitField(20, 100, 'memories'),
  offset: offsetField,
  ...budgetField,
});

const output = Type.Object({ memories: Type.Array(MemoryItemSchema), ...listFields });

export const recentTool = defineTool({
  name: 'recent',
  title: 'What was remembered last',
  description:
    'The memories written last, newest first, out-of-date ones left out: what happened lately, where work stopped. ' +
    'To find something about a subject use `search`.',
  scope: 'read',
  input,
  output,
  run: async ({ services, user }, { within, topics, conversationId, limit, offset, maxTokens }) => {
    const createdFrom =
      within === undefined ? undefined : parseWindowStart(within, 'within', services.clock.now());
    const page = await services.search.browse(user, {
      limit,
      offset,
      sortBy: 'createdAt',
      order: 'desc',
      filter: {
        createdFrom,
        conversationId,
        topics: topics && topics.length > 0 ? topics : undefined,
        includeSuperseded: false,
      },
    });
    const fitted = fitMemories(
      page.items.map((memory) => toMemoryItem(memory)),
      maxTokens,
    );
    const counts = pageCounts(fitted, { total: page.count, offset, taken: page.items.length });
    return { memories: fitted.items, ...counts };
  },
});
