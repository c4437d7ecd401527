import { Type } from 'typebox';
import { memoryTypes, outcomes } from '../../domain/memories/memory.ts';
import { parseTime, parseWindowStart } from '../../domain/shared/time.ts';
import { searchDefaults } from '../../search/request.ts';
import type { MemoryFilter } from '../../search-index/memory-filter.ts';
import { fitList, fitMemories, listFields, pageCounts } from '../budget.ts';
import {
  choiceField,
  idField,
  limitField,
  MemoryItemSchema,
  offsetField,
  queryField,
  timeField,
  toMemoryItem,
  topicsField,
  windowField,
} from '../fields.ts';
import { budgetField, defineTool, strictObject } from '../tool.ts';

interface FilterArguments {
  readonly topics?: readonly string[];
  readonly excludeTopics?: readonly string[];
  readonly conversationId?: string;
  readonly memoryType?: MemoryFilter['memoryType'];
  readonly outcome?: MemoryFilter['outcome'];
  readonly from?: string;
  readonly to?: string;
  readonly asOf?: string;
  readonly includeSuperseded?: boolean;
}

function optionalTime(text: string | undefined, field: string, bound: 'start' | 'end'): number | undefined {
  return text === undefined ? undefined : parseTime(text, field, bound);
}

/** An empty list is not a filter. */
function someOf(topics: readonly string[] | undefined): readonly string[] | undefined {
  return topics && topics.length > 0 ? topics : undefined;
}

/** @throws 422 for a time that cannot be read */
function toFilter(args: FilterArguments): MemoryFilter {
  return {
    topics: someOf(args.topics),
    excludeTopics: someOf(args.excludeTopics),
    conversationId: args.conversationId,
    memoryType: args.memoryType,
    outcome: args.outcome,
    eventFrom: optionalTime(args.from, 'from', 'start'),
    eventTo: optionalTime(args.to, 'to', 'end'),
    asOf: optionalTime(args.asOf, 'asOf', 'end'),
    includeSuperseded: args.includeSuperseded ?? false,
  };
}

export const searchTool = defineTool({
  name: 'search',
  title: 'Search memories',
  description:
    'Find memories by meaning and by words, best first, with filters on topic, time, conversation and type. ' +
    'Call it before asking the user for something they may have said before, and before deciding what was decided before. ' +
    'For everything about a task at its start use `recall`; for what was written last use `recent`.',
  scope: 'read',
  input: strictObject({
    query: queryField('What to find, in words or as a question.'),
    limit: limitField(10, 100, 'memories'),
    offset: offsetField,
    topics: Type.Optional(topicsField('Only memories with any of these topics.')),
    excludeTopics: Type.Optional(topicsField('No memories with any of these topics.')),
    conversationId: Type.Optional(idField('Only memories of this conversation.')),
    memoryType: Type.Optional(choiceField(memoryTypes, 'Only memories of this type.')),
    outcome: Type.Optional(choiceField(outcomes, 'Only memories with this outcome.')),
    from: Type.Optional(timeField('Happened at this time or later.')),
    to: Type.Optional(timeField('Happened at this time or earlier; a date alone means its end.')),
    asOf: Type.Optional(timeField('Answer with what was known at this time.')),
    includeSuperseded: Type.Boolean({
      default: false,
      description: 'Find out-of-date memories too, to see how something changed.',
    }),
    ...budgetField,
  }),
  output: Type.Object({ results: Type.Array(MemoryItemSchema), ...listFields }),
  run: async ({ services, user }, { query, limit, offset, maxTokens, ...filters }) => {
    const filter = toFilter(filters);
    const found = await services.search.search(user, { ...searchDefaults, query, limit, offset, filter });
    const fitted = fitMemories(
      found.hits.map(({ memory, score, relevance }) => toMemoryItem(memory, score, relevance)),
      maxTokens,
    );
    const page = { total: found.total, offset, taken: found.hits.length };
    return { results: fitted.items, ...pageCounts(fitted, page) };
  },
});

export const recentTool = defineTool({
  name: 'recent',
  title: 'What was remembered last',
  description:
    'The memories written last, newest first, out-of-date ones left out: what happened lately, where work stopped. ' +
    'To find something about a subject use `search`.',
  scope: 'read',
  input: strictObject({
    within: Type.Optional(windowField('Only what was written within this time, such as 24h, 7d or 1mo.')),
    topics: Type.Optional(topicsField('Only memories with any of these topics.')),
    conversationId: Type.Optional(idField('Only memories of this conversation.')),
    limit: limitField(20, 100, 'memories'),
    offset: offsetField,
    ...budgetField,
  }),
  output: Type.Object({ memories: Type.Array(MemoryItemSchema), ...listFields }),
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

const TopicItemSchema = Type.Object({ name: Type.String(), memoryCount: Type.Integer() });
export const topicsTool = defineTool({
  name: 'topics',
  title: 'Topics in use',
  description:
    'The topics that memories carry, the most used first; with `query` those with a name like it. ' +
    'Call it before giving topics to a memory, to use the words that are there, and to choose a filter for `search`.',
  scope: 'read',
  input: strictObject({
    query: Type.Optional(queryField('Find topics whose names are like this.')),
    limit: limitField(50, 200, 'topics'),
    offset: offsetField,
    ...budgetField,
  }),
  output: Type.Object({ topics: Type.Array(TopicItemSchema), ...listFields }),
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
