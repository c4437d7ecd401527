import { relatedHows } from '../../domain/graph/related-by-graph.ts';
import { topicLengthMax } from '../../domain/memories/memory.ts';
import { pageLimitMax, toPageRequest } from '../../domain/shared/page.ts';
import type { Topic } from '../../domain/topics/topic.ts';
import { keyedAct } from '../keyed-act.ts';
import { type Route, Type } from '../route-plugin.ts';
import { component } from '../schemas/component.ts';
import { bodyOf, dataOf, pageOf } from '../schemas/envelope.ts';
import { etagOfRecord } from '../schemas/if-match.ts';
import { toListPage, toPagination } from '../schemas/pagination.ts';
import {
  cursorQuery,
  idParams,
  limitUpTo,
  oneOf,
  pageQuery,
  relevanceFloorField,
  sortDirection,
} from '../schemas/query.ts';
import { TopicSchema, toTopicRecord } from '../schemas/records.ts';

/** The topic reference in a body. */
export const topicIdField = (description: string) =>
  Type.String({ minLength: 1, maxLength: 500, description: `${description}: its id, its name or an alias.` });

const Query = Type.Object({
  ...cursorQuery,
  query: Type.Optional(
    Type.String({
      maxLength: topicLengthMax,
      description: 'A part of its name or of that of one merged into it.',
    }),
  ),
  sortBy: Type.Optional(oneOf(['name', 'memoryCount'], { default: 'name' })),
  order: Type.Optional(sortDirection),
});

const listTopics: Route = (app, { topics }) =>
  app.get(
    '/api/topics',
    {
      schema: {
        operationId: 'listTopics',
        tags: ['Topics'],
        summary: 'List topics',
        description:
          'By name, or by the number of memories that carry them (most first); given topics before derived ones.',
        querystring: Query,
        response: {
          200: pageOf(TopicSchema, 'One page of topics, and the number of all.'),
        },
      },
    },
    async (request) => {
      const { user, query } = request;
      const { query: name, sortBy = 'name', order = sortBy === 'name' ? 'asc' : 'desc' } = query;
      const page = await topics.list(user, {
        ...toListPage(request),
        name: name || undefined,
        sortBy,
        order,
      });
      return { data: page.items.map(toTopicRecord), pagination: toPagination(page, request) };
    },
  );

const getTopicById: Route = (app, { topics }) =>
  app.get(
    '/api/topics/:id',
    {
      schema: {
        operationId: 'getTopicById',
        tags: ['Topics'],
        summary: 'Get a topic',
        description: 'By its id, its name or the name of a topic that was merged into it.',
        params: idParams,
        response: { 200: dataOf(TopicSchema, 'The topic.') },
      },
    },
    async ({ user, params }, reply) => {
      const data = toTopicRecord(await topics.get(user, params.id));
      return reply.header('ETag', etagOfRecord(data)).send({ data });
    },
  );

const SearchBody = Type.Object(
  { query: Type.String({ minLength: 1, maxLength: 2000 }), ...pageQuery },
  { examples: [{ query: 'deploy', limit: 10 }] },
);

const HitSchema = Type.Object(
  {
    ...TopicSchema.properties,
    score: Type.Number({ description: '0-1; 1 where a name or alias is what was asked for.' }),
  },
  component('TopicSearchResult'),
);

const searchTopics: Route = (app, { search }) =>
  app.post(
    '/api/topics/search',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'searchTopics',
        tags: ['Topics', 'Search'],
        summary: 'Search topics',
        description:
          'Semantic and keyword search over names and aliases; best match first, 1 for the name itself.',
        body: SearchBody,
        response: {
          200: bodyOf('One page of topics with their scores.', {
            data: Type.Array(HitSchema),
            total: Type.Integer({ description: 'All matches, not only those on this page.' }),
            limit: Type.Integer(),
            offset: Type.Integer(),
            meta: Type.Object({
              relevanceFloor: relevanceFloorField('Topics with a lower score are left out'),
            }),
          }),
        },
      },
    },
    async ({ user, body }) => {
      const { items, count, limit, offset } = await search.topics(user, body.query, toPageRequest(body));
      const data = items.map(({ topic, score }) => ({ ...toTopicRecord(topic), score }));
      return { data, total: count, limit, offset, meta: { relevanceFloor: search.relevanceFloor } };
    },
  );

const MergeBody = Type.Object(
  {
    sourceTopicId: topicIdField('The topic to merge, which becomes an alias'),
    targetTopicId: topicIdField('The topic that stays'),
  },
  { examples: [{ sourceTopicId: 'release', targetTopicId: 'deploys' }] },
);

const toBody = (topic: Topic) => ({ data: toTopicRecord(topic) });

const mergeTopics: Route = (app, { topicMerges }) =>
  app.post(
    '/api/topics/merge',
    {
      schema: {
        operationId: 'mergeTopics',
        tags: ['Topics'],
        summary: 'Merge two topics',
        description:
          'The memories of the source get the target; the name of the source then means the target. The merge is ' +
          'in the trash list and can be undone there.',
        body: MergeBody,
        response: { 200: dataOf(TopicSchema, 'The topic that stays.') },
      },
    },
    async (request, reply) => {
      const { sourceTopicId, targetTopicId } = request.body;
      const act = keyedAct<Topic>(request, reply, 200, (done) => ({ body: toBody(done) }));
      return toBody(await topicMerges.merge(request.user, sourceTopicId, targetTopicId, act));
    },
  );

const RenameBody = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: topicLengthMax, description: 'Its name from now on.' }) },
  { examples: [{ name: 'ship-it' }] },
);

const renameTopic: Route = (app, { topicMerges }) =>
  app.patch(
    '/api/topics/:id',
    {
      schema: {
        operationId: 'renameTopic',
        tags: ['Topics'],
        summary: 'Rename a topic',
        description:
          'Its memories get the new name, and its former one becomes an alias. The change is in the trash list and can ' +
          'be undone there. A name that another topic has is refused: merge the two.',
        params: idParams,
        body: RenameBody,
        response: { 200: dataOf(TopicSchema, 'The topic with its new name.') },
      },
    },
    async (request, reply) => {
      const act = keyedAct<Topic>(request, reply, 200, (done) => ({ body: toBody(done) }));
      return toBody(await topicMerges.rename(request.user, request.params.id, request.body.name, act));
    },
  );

const limitDefault = 10;

const RelatedBody = Type.Object(
  {
    topicId: topicIdField('The topic'),
    limit: limitUpTo(pageLimitMax, limitDefault),
  },
  { examples: [{ topicId: 'deploys', limit: 5 }] },
);

const RelatedSchema = Type.Object(
  {
    ...TopicSchema.properties,
    relationshipType: oneOf(relatedHows, {
      description:
        'co-occurrence: a memory has both; shared-entity, shared-fact, linked-memories: memories of both name the same ' +
        'entity, say the same or are related; indirect: further apart.',
    }),
    strength: Type.Number({ description: 'Its PageRank by that of the strongest, 0-1.' }),
  },
  component('RelatedTopic'),
);

const discoverRelatedTopics: Route = (app, { topics }) =>
  app.post(
    '/api/topics/discover-related',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'discoverRelatedTopics',
        tags: ['Topics'],
        summary: 'Find related topics',
        description:
          'Topics near this one in the graph of memories, topics, entities and facts, by Personalised PageRank (Haveliwala ' +
          '2002, as HippoRAG 2 uses it), strongest first.',
        body: RelatedBody,
        response: {
          200: bodyOf('The topics, with how they are related and how strongly.', {
            data: Type.Array(RelatedSchema),
          }),
        },
      },
    },
    async ({ user, body }) => {
      const related = await topics.related(user, body.topicId, body.limit ?? limitDefault);
      const data = related.map(({ topic, how, strength }) => ({
        ...toTopicRecord(topic),
        relationshipType: how,
        strength,
      }));
      return { data };
    },
  );

const thresholdDefault = 0.1;

const SimilarBody = Type.Object(
  {
    topicId: topicIdField('The topic'),
    threshold: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: `Least similarity, ${thresholdDefault} by default; 0.5 is plausibly related.`,
      }),
    ),
    limit: limitUpTo(pageLimitMax, limitDefault),
  },
  { examples: [{ topicId: 'deploys', limit: 5 }] },
);

const SimilarSchema = Type.Object(
  {
    topic: TopicSchema,
    similarity: Type.Number({ description: 'Of the names, 0-1.' }),
    similarityScore: Type.Number({ description: 'The same, as other clients name it.' }),
  },
  component('SimilarTopic'),
);

const findSimilarTopics: Route = (app, { topics, search }) =>
  app.post(
    '/api/topics/similar',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'findSimilarTopics',
        tags: ['Topics', 'Search'],
        summary: 'Find topics with similar names',
        description: 'By the semantic similarity of their names, nearest first.',
        body: SimilarBody,
        response: {
          200: bodyOf('The topics with their similarity.', { data: Type.Array(SimilarSchema) }),
        },
      },
    },
    async ({ user, body: { topicId, threshold = thresholdDefault, limit = limitDefault } }) => {
      const topic = await topics.get(user, topicId);
      const request = { threshold, limit };
      const similar = await search.similarTopics(user, topic, request);
      const data = similar.map((found) => ({
        topic: toTopicRecord(found.topic),
        similarity: found.similarity,
        similarityScore: found.similarity,
      }));
      return { data };
    },
  );

const SimilarityBody = Type.Object(
  { topicId1: topicIdField('A topic'), topicId2: topicIdField('Another one') },
  { examples: [{ topicId1: 'deploys', topicId2: 'release' }] },
);

const SimilaritySchema = Type.Object(
  {
    similarity: Type.Number({ description: '0-1; 0.5 is plausibly related, 1 the same topic.' }),
  },
  component('TopicSimilarity'),
);

const calculateTopicSimilarity: Route = (app, { topics, search }) =>
  app.post(
    '/api/topics/similarity',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'calculateTopicSimilarity',
        tags: ['Topics'],
        summary: 'Compare the names of two topics',
        description: 'Semantic similarity of the names; by their words where no model reads them.',
        body: SimilarityBody,
        response: { 200: dataOf(SimilaritySchema, 'The similarity.') },
      },
    },
    async ({ user, body }) => {
      const first = await topics.get(user, body.topicId1);
      const second = await topics.get(user, body.topicId2);
      return { data: { similarity: await search.topicSimilarity(first, second) } };
    },
  );

export const topicRoutes: readonly Route[] = [
  listTopics,
  getTopicById,
  searchTopics,
  mergeTopics,
  renameTopic,
  discoverRelatedTopics,
  findSimilarTopics,
  calculateTopicSimilarity,
];
