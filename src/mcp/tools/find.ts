import { Type } from 'typebox';
import { memoryTypes, outcomes } from '../../domain/memories/memory.ts';
import { parseTime, parseWindowStart } from '../../domain/shared/time.ts';
import { type SearchHit, type SearchOutcome, searchDefaults } from '../../search/request.ts';
import type { MemoryFilter } from '../../search-index/memory-filter.ts';
import { fitList, fitMemories, listFields, pageCounts, tokensOf } from '../budget.ts';
import {
  choiceField,
  idField,
  limitField,
  MemoryItemSchema,
  offsetField,
  queryField,
  shareField,
  timeField,
  toMemoryItem,
  topicsField,
  windowField,
} from '../fields.ts';
import { aboutSearch, foundFields, toHitItem, worthReading } from '../hits.ts';
import { memoryIdOf } from '../memory-reference.ts';
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
    'Find memories by meaning and words, best first; times in the query ("last week") count. ' +
    'Call it before you ask the user or decide: it may be known. For a task as a whole use `recall`.',
  scope: 'read',
  input: strictObject({
    query: queryField('Words or a question.'),
    limit: limitField(5, 100),
    offset: offsetField,
    minRelevance: Type.Optional(
      shareField(
        'Absent: what is not about the query is left out; 0: nothing is left out; .5: only sure ones.',
      ),
    ),
    recency: Type.Optional(shareField('How much the newer of two on one matter gains; default 0.')),
    topics: Type.Optional(topicsField('With any of these.')),
    excludeTopics: Type.Optional(topicsField('With none of these.')),
    conversationId: Type.Optional(idField()),
    memoryType: Type.Optional(choiceField(memoryTypes)),
    outcome: Type.Optional(choiceField(outcomes, 'unresolved: what is open.')),
    from: Type.Optional(timeField('Happened from then on.')),
    to: Type.Optional(timeField('Happened until then; a date includes its day.')),
    asOf: Type.Optional(timeField('What was known then.')),
    includeSuperseded: Type.Boolean({ default: false, description: 'Also what is out of date.' }),
    why: Type.Optional(idField('Say why this memory was not found.')),
    ...budgetField,
  }),
  output: Type.Object({
    results: Type.Array(MemoryItemSchema),
    why: Type.Optional(Type.String()),
    ...foundFields,
    ...listFields,
    total: Type.Integer({ description: 'All that are about the query; with minRelevance all matches.' }),
  }),
  run: async (context, { query, limit, offset, minRelevance, recency, why, maxTokens, ...filters }) => {
    const { services, user } = context;
    const explainId = why === undefined ? undefined : await memoryIdOf(context, why, 'why');
    const found = await services.search.search(user, {
      ...searchDefaults,
      query,
      explainId,
      limit,
      offset,
      minRelevance,
      recency,
      filter: toFilter(filters),
    });
    const hits = minRelevance === undefined ? worthReading(found) : found.hits;
    // After the first that is left out, the others are too.
    const total = hits.length < found.hits.length ? offset + hits.length : found.total;
    const about = { ...aboutSearch(found, total), ...whyOf(found, hits) };
    const fitted = fitMemories(hits.map(toHitItem), maxTokens - tokensOf(about));
    return { results: fitted.items, ...about, ...pageCounts(fitted, { total, offset, taken: hits.length }) };
  },
});

/** Hits that are not about the query are left out here, though not by the search. */
function whyOf(
  { explained, relevanceFloor }: SearchOutcome,
  shown: readonly SearchHit[],
): { readonly why?: string } {
  if (!explained) return {};
  const { memoryId, status, reason, relevance = 0 } = explained;
  const isLeftOut = status === 'found' && !shown.some(({ memory }) => memory.id === memoryId);
  const bar = `${relevance.toFixed(2)}, and ${relevanceFloor.toFixed(2)} or a share of the best is needed`;
  return {
    why: isLeftOut ? `${reason} It is left out by its relevance: ${bar}; minRelevance: 0 shows it.` : reason,
  };
}

export const recentTool = defineTool({
  name: 'recent',
  title: 'What was remembered last',
  description: 'The memories written last, newest first: what happened lately, where work stopped.',
  scope: 'read',
  input: strictObject({
    within: Type.Optional(windowField('Such as 24h, 7d or 1mo.')),
    topics: Type.Optional(topicsField('With any of these.')),
    conversationId: Type.Optional(idField()),
    limit: limitField(10, 100),
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
    const fitted = fitMemories(page.items.map(toMemoryItem), maxTokens);
    const counts = pageCounts(fitted, { total: page.count, offset, taken: page.items.length });
    return { memories: fitted.items, ...counts };
  },
});

const TopicItemSchema = Type.Object({
  name: Type.String(),
  memoryCount: Type.Integer(),
  derived: Type.Optional(Type.Literal(true)),
});
export const topicsTool = defineTool({
  name: 'topics',
  title: 'Topics in use',
  description:
    'Topics of memories, given ones before derived, the most used first. Use these words in `remember` and as filters.',
  scope: 'read',
  input: strictObject({
    query: Type.Optional(queryField('Only topics with names like this.')),
    limit: limitField(50, 200),
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
    const items = topics.map(({ name, memoryCount, isDerived }) =>
      isDerived ? { name, memoryCount, derived: true as const } : { name, memoryCount },
    );
    const fitted = fitList(items, maxTokens);
    const counts = pageCounts(fitted, { total: page.count, offset, taken: items.length });
    return { topics: fitted.items, ...counts };
  },
});
