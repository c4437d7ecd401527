import { Type } from 'typebox';
import { fitList, listFields, pageCounts } from '../budget.ts';
import { limitField, offsetField, queryField } from '../fields.ts';
import { budgetField, defineTool, strictObject } from '../tool.ts';

const input = strictObject({
  query: Type.Optional(queryField('Find topics whose names are like this.')),
  limit: limitField(50, 200, 'topics'),
  offset: offsetField,
  ...budgetField,
});

const TopicItemSchema = Type.Object({ name: Type.String(), memoryCount: Type.Integer() });
const output = Type.Object({ topics: Type.Array(TopicItemSchema), ...listFields });

export const topicsTool = defineTool({
  name: 'topics',
  title: 'Topics in use',
  description:
    'The topics that memories carry, the most used first; with `query` those with a name like it. ' +
    'Call it before giving topics to a memory, to use the words that are there, and to choose a filter for `search`.',
  scope: 'read',
  input,
  output,
  run: async ({ services, user }, { query, limit, offset, maxTokens }) => {
    const page =
      query === undefined
        ? await services.topics.list(user, { limit, offset, sortBy: 'memoryCount', order: 'desc' })
        : await services.search.topics(user, query, { limit, offset });
    const topics = page.items.map((item) => ('topic' in item ? item.topic : item));
    const items = topics.map(({ name, memoryCount }) => ({ name, memoryCount }));
    const fitted = fitList(items, maxTokens);
    const counts = pageCounts(fitted, { total: page.count, offset, taken: items.length });
    return { topics: fitted.items, ...counts };
  },
});
