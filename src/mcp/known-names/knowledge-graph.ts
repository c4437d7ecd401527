import { Type } from 'typebox';
import { fitList, tokensOf } from '../budget.ts';
import { idField, limitField, queryField } from '../fields.ts';
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
  if (query !== undefined) return (await services.search.facts(user, query, limit)).facts;
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
    limit: limitField(20, 100, 'of each'),
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
