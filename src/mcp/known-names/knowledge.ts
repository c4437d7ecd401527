import { Type } from 'typebox';
import { itemsWithin, loadTokenCounter } from '../../briefing/text/tokens.ts';
import { patternTypes } from '../../domain/patterns/pattern.ts';
import { AppError } from '../../domain/shared/errors.ts';
import { toIso } from '../../domain/shared/time.ts';
import { fitList, tokensOf } from '../budget.ts';
import { choiceField, idField, limitField, offsetField, queryField } from '../fields.ts';
import { knownName } from '../known-name.ts';
import { memoryIdOf } from '../memory-reference.ts';
import { budgetField, type ToolContext } from '../tool.ts';

const note =
  'The graph has topics, stated facts and relationships of memories; entities are not derived by this version.';

const FactSchema = Type.Object({
  subject: Type.String(),
  predicate: Type.String(),
  object: Type.String(),
  memoryIds: Type.Array(Type.String()),
});
const TopicSchema = Type.Object({ name: Type.String(), memoryCount: Type.Integer() });
const RelationshipSchema = Type.Object({ type: Type.String(), from: Type.String(), to: Type.String() });

interface Asked {
  readonly query?: string;
  readonly memoryId?: string;
  readonly limit: number;
}

async function topicsFor({ services, user }: ToolContext, { query, limit }: Asked) {
  const page = { limit, offset: 0 };
  if (query === undefined) {
    const { items } = await services.topics.list(user, { ...page, sortBy: 'memoryCount', order: 'desc' });
    return items;
  }
  return (await services.search.topics(user, query, page)).items.map(({ topic }) => topic);
}

async function factsFor({ services, user }: ToolContext, { query, memoryId, limit }: Asked) {
  if (query !== undefined) return (await services.search.facts(user, { query, limit })).facts;
  const page = { limit, offset: 0, sortBy: 'confidence', order: 'desc' } as const;
  return (await services.facts.list(user, { ...page, memoryId })).items;
}

export const knowledgeGraphTool = knownName({
  name: 'knowledge_graph',
  title: 'Topics, facts and links',
  description: `Topics and facts about a query (without one: those used most), and the links of a memory. ${note}`,
  scope: 'read',
  properties: {
    query: Type.Optional(queryField('What the topics and facts are to be about.')),
    memoryId: Type.Optional(idField('Answer the links of this memory and its facts.')),
    limit: limitField(20, 100),
    ...budgetField,
  },
  output: Type.Object({
    topics: Type.Array(TopicSchema),
    facts: Type.Array(FactSchema),
    relationships: Type.Array(RelationshipSchema),
    omitted: Type.Integer({ description: 'What did not fit into maxTokens.' }),
    note: Type.String(),
  }),
  run: async (context, { maxTokens, memoryId: given, ...rest }) => {
    const { services, user } = context;
    const memoryId = given === undefined ? undefined : await memoryIdOf(context, given, 'memoryId');
    const asked = { ...rest, memoryId };
    const { limit } = asked;
    const edges =
      memoryId === undefined ? [] : await services.relationships.list(user, memoryId, 'both', limit);
    const links = edges.map(({ type, sourceMemoryId, targetMemoryId }) => ({
      type,
      from: sourceMemoryId,
      to: targetMemoryId,
    }));
    const relationships = fitList(links, maxTokens / 3);
    const names = (await topicsFor(context, asked)).map(({ name, memoryCount }) => ({ name, memoryCount }));
    const topics = fitList(names, maxTokens / 3);
    const found = (await factsFor(context, asked)).map(({ subject, predicate, object, sourceMemoryIds }) => ({
      subject,
      predicate,
      object,
      memoryIds: sourceMemoryIds.slice(0, 3),
    }));
    const facts = fitList(found, maxTokens - tokensOf(relationships.items) - tokensOf(topics.items));
    return {
      topics: topics.items,
      facts: facts.items,
      relationships: relationships.items,
      omitted: relationships.omitted + topics.omitted + facts.omitted,
      note,
    };
  },
});

/** Left for the counts around the list. */
const envelopeTokens = 60;

const PatternItemSchema = Type.Object({
  id: Type.String(),
  type: choiceField(patternTypes, 'What it is of.'),
  description: Type.String(),
  confidence: Type.Number(),
  occurrences: Type.Integer({ description: 'Memories that show it.' }),
});

export const patternsTool = knownName({
  name: 'patterns',
  title: 'How things are done here',
  description:
    'What recurs in memories: corrections, rules, preferences, habits, sequences of work, tools and times, the surest first. ' +
    'Call it when work begins, and go by those of high confidence. Rules and preferences are kept up to date; the rest is as last compiled (`memoryd patterns detect`).',
  scope: 'read',
  properties: { limit: limitField(50, 200), offset: offsetField, ...budgetField },
  output: Type.Object({
    patterns: Type.Array(PatternItemSchema),
    total: Type.Integer({ description: 'All there are, not only those answered.' }),
    omitted: Type.Integer({ description: 'Patterns of this page that did not fit into maxTokens.' }),
  }),
  run: async ({ services, user }, { limit, offset, maxTokens }) => {
    const [{ items, count }, countTokens] = await Promise.all([
      services.patterns.list(user, { limit, offset }),
      loadTokenCounter(),
    ]);
    const all = items.map(({ id, type, description, confidence, occurrences }) => ({
      id,
      type,
      description,
      confidence: Number(confidence.toFixed(2)),
      occurrences,
    }));
    const patterns = await itemsWithin(all, { max: maxTokens - envelopeTokens, countTokens });
    return { patterns, total: count, omitted: items.length - patterns.length };
  },
});

export const getUserProfileTool = knownName({
  name: 'get_user_profile',
  title: 'Whose memories these are',
  description: 'The user of the key, what the key may do, and how much is stored. There is no quota.',
  scope: 'read',
  properties: { ...budgetField },
  output: Type.Object({
    id: Type.String(),
    name: Type.String(),
    email: Type.String(),
    createdAt: Type.String(),
    scopes: Type.Array(Type.String(), { description: 'Of the API key.' }),
    memories: Type.Integer(),
    conversations: Type.Integer(),
    topics: Type.Integer(),
  }),
  run: async ({ services, user, scopes }) => {
    const found = await services.users.find(user.id);
    if (!found) throw new AppError('AUTHENTICATION_REQUIRED', 'The user of this key was removed.');
    const { memories, conversations, topics } = services.stores.forUser(user);
    return {
      id: found.publicId,
      name: found.name,
      email: found.email,
      createdAt: toIso(found.createdAt),
      scopes: [...scopes],
      memories: await memories.count(),
      conversations: await conversations.count(),
      topics: await topics.count(),
    };
  },
});
