import { pageLimitMax } from '../../../domain/shared/page.ts';
import { toIso } from '../../../domain/shared/time.ts';
import type { GraphOutcome } from '../../../graph-rag/graph-outcome.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { bodyOf, dataOf } from '../../schemas/envelope.ts';
import { MemorySchema, toHitRecord } from '../../schemas/memory.ts';
import { fitRecords } from '../../schemas/pagination.ts';
import { limitUpTo, recordId, relevanceFloorField } from '../../schemas/query.ts';
import { sampleIds } from '../../schemas/samples.ts';

const graphDepthMax = 5;

/** A topic or entity of a memory. */
const GraphNameSchema = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    type: Type.Optional(Type.String({ description: 'Of an entity.' })),
  },
  component('GraphName'),
);

/** A node of a trace. */
const GraphNodeSchema = Type.Object(
  {
    kind: Type.String({ description: 'memory, topic, entity or fact.' }),
    id: Type.String(),
    name: Type.String({ description: 'What it is called now; of a memory, the beginning of its text.' }),
  },
  component('GraphNode'),
);

const depthDefault = 2;
const limitDefault = 20;
const limitMax = 100;

const depthField = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: graphDepthMax, description }));

const Body = Type.Object(
  {
    query: Type.String({ minLength: 1, maxLength: 4000 }),
    maxDepth: depthField(`Steps along links from what was found, ${depthDefault} by default.`),
    depth: depthField('Deprecated: another name of maxDepth, which goes before it.'),
    limit: limitUpTo(limitMax, limitDefault),
    includeRelationships: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'Whether relationships between memories are followed, and relatedMemories given.',
      }),
    ),
  },
  { examples: [{ query: 'How do we deploy?', maxDepth: 2, limit: 5 }] },
);

const RelatedSchema = Type.Object(
  {
    id: Type.String(),
    relationshipType: Type.String({
      description: 'The type of a relationship, or shared-topic, shared-entity, shared-fact.',
    }),
    direction: Type.Optional(Type.String({ description: 'Of a relationship: outgoing or incoming.' })),
    via: Type.Array(Type.String(), { description: 'What both have, at most 3.' }),
    strength: Type.Number({ description: '0-1.' }),
    preview: Type.String({ description: 'At most 200 characters.' }),
  },
  component('GraphRelatedMemory'),
);

const ResultSchema = Type.Object(
  {
    memory: MemorySchema,
    score: Type.Number({
      description: 'Relevance of the memory in the search, and what the walk adds to it: 0-1.',
    }),
    newer: Type.Optional(
      Type.String({
        description:
          'Id of the memory that replaces this one or a part of it; where both are results, it comes first.',
      }),
    ),
    topics: Type.Array(GraphNameSchema),
    entities: Type.Array(GraphNameSchema),
    relatedMemories: Type.Array(RelatedSchema, { description: 'At most 3.' }),
    answer: Type.String({
      description: 'Sentences of the memory that have most of the query, as they stand.',
    }),
    sources: Type.Array(Type.String(), { description: 'Ids of the memories that the answer is from.' }),
    confidence: Type.Number({
      description: 'Relevance of the memory in the search, 0-1; 0 where only links lead to it.',
    }),
  },
  component('GraphQueryResult'),
);

const ResponseSchema = Type.Object(
  {
    queryId: Type.String({ description: 'What explains it, for 7 days.' }),
    results: Type.Array(ResultSchema),
    metadata: Type.Object({
      query: Type.String(),
      depth: Type.Integer(),
      limit: Type.Integer(),
      timestamp: Type.String(),
      searchMethod: Type.String({ description: 'What found the seeds.' }),
      relevanceFloor: relevanceFloorField('Memories of the search below it are no seeds'),
      degraded: Type.Optional(Type.Boolean({ description: 'True where a part of the search gave nothing.' })),
      truncated: Type.Optional(
        Type.Boolean({ description: 'True where results were left out: a response holds 8 MiB of records.' }),
      ),
    }),
  },
  component('GraphQueryResponse'),
);

function toRecord({ queryId, request, at, hits, method, relevanceFloor, branchFailures }: GraphOutcome) {
  const records = hits.map(({ memory, topics, entities, relatedMemories, ...hit }) => ({
    memory: toHitRecord(memory),
    topics: topics.map(({ id, name }) => ({ id, name })),
    entities: entities.map(({ id, name, type }) => ({ id, name, type })),
    relatedMemories: relatedMemories.map((related) => ({ ...related, via: [...related.via] })),
    sources: [memory.id],
    ...hit,
  }));
  const { data: results, isFull } = fitRecords(records);
  return {
    queryId,
    results,
    metadata: {
      query: request.query,
      depth: request.maxDepth,
      limit: request.limit,
      timestamp: toIso(at),
      searchMethod: method,
      relevanceFloor,
      ...(branchFailures.length > 0 && { degraded: true }),
      ...(isFull && { truncated: true }),
    },
  };
}

const queryGraph: Route = (app, { graphRag }) =>
  app.post(
    '/api/graphrag/query',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'executeGraphRAGQuery',
        tags: ['GraphRAG'],
        summary: 'Answer from the graph',
        description:
          'A search and the names in the query give the seeds; Personalised PageRank over the memories, topics, entities, ' +
          'facts and relationships around them ranks the memories (HippoRAG 2, Gutierrez et al. 2025).',
        body: Body,
        response: {
          200: dataOf(
            ResponseSchema,
            'The memories, best first; none where none of the search reaches MEMORYD_RELEVANCE_FLOOR.',
          ),
        },
      },
    },
    async ({ user, body }) => {
      const { query, maxDepth = body.depth ?? depthDefault, limit = limitDefault } = body;
      const { includeRelationships = true } = body;
      return { data: toRecord(await graphRag.query(user, { query, maxDepth, limit, includeRelationships })) };
    },
  );

const Query = Type.Object({
  queryId: { ...recordId('Of a query of the last 7 days.'), examples: [sampleIds.graphQuery] },
});

const TraceSchema = Type.Object(
  {
    queryId: Type.String(),
    query: Type.String(),
    createdAt: Type.String(),
    maxDepth: Type.Integer(),
    limit: Type.Integer(),
    includeRelationships: Type.Boolean(),
    searchMethod: Type.String({ description: 'What found the seeds.' }),
    seeds: Type.Array(
      Type.Object({
        ...GraphNodeSchema.properties,
        by: Type.String({ description: 'search, or name where the query names it.' }),
        weight: Type.Number({ description: 'Share of the walk that begins there.' }),
        score: Type.Optional(Type.Number({ description: 'Of the search.' })),
      }),
    ),
    steps: Type.Array(
      Type.Object({
        depth: Type.Integer(),
        expanded: Type.Integer({ description: 'Nodes whose links were read.' }),
        leftOut: Type.Integer({ description: 'Nodes within reach whose links were not read.' }),
        links: Type.Integer({ description: 'New links.' }),
      }),
    ),
    edges: Type.Array(
      Type.Object({
        from: GraphNodeSchema,
        to: GraphNodeSchema,
        type: Type.String({
          description:
            'HAS_TOPIC, MENTIONS, STATES, ABOUT (a fact and its entity) or the type of a relationship.',
        }),
        confidence: Type.Number(),
        flow: Type.Number({ description: 'Share of the walk that goes along it, in both directions.' }),
      }),
      { description: 'Those with the most flow first, at most 200.' },
    ),
    scores: Type.Array(Type.Object({ ...GraphNodeSchema.properties, score: Type.Number() }), {
      description:
        'Of the memories of the results, by that of the best; then of topics, entities and facts, their shares of the walk.',
    }),
    hidden: Type.Integer({ description: 'Nodes not shown, as they were deleted since.' }),
  },
  component('GraphTrace'),
);

const explainGraphQuery: Route = (app, { graphRag }) =>
  app.get(
    '/api/graphrag/explain',
    {
      schema: {
        operationId: 'explainGraphRAGQuery',
        tags: ['GraphRAG'],
        summary: 'Explain an answer from the graph',
        description:
          'What a query did: its seeds, the links that its walk followed, and scores. Kept for 7 days.',
        querystring: Query,
        response: { 200: dataOf(TraceSchema, 'The trace.') },
      },
    },
    async ({ user, query }) => {
      const trace = await graphRag.explain(user, query.queryId);
      const { queryId, request, method, createdAt, seeds, steps, edges, scores, hidden } = trace;
      const what = { queryId, ...request, searchMethod: method, createdAt: toIso(createdAt), hidden };
      return {
        data: { ...what, seeds: [...seeds], steps: [...steps], edges: [...edges], scores: [...scores] },
      };
    },
  );

const communitiesDefault = 10;

const CommunitiesBody = Type.Object(
  {
    query: Type.String({ minLength: 1, maxLength: 4000 }),
    limit: limitUpTo(pageLimitMax, communitiesDefault),
  },
  { examples: [{ query: 'How do we deploy?', limit: 3 }] },
);

const CommunityHitSchema = Type.Object(
  {
    communityId: Type.String(),
    communityName: Type.String(),
    answer: Type.String({
      description: 'Sentences of its memory that the search found first, as they stand.',
    }),
    confidence: Type.Number({
      description: 'The highest relevance of its memories in the search, 0-1.',
    }),
    topicCount: Type.Integer(),
    sources: Type.Array(Type.String(), { description: 'Ids of its memories, the best first, at most 5.' }),
  },
  component('CommunityAnswer'),
);

const queryCommunities: Route = (app, { graphRag, search }) =>
  app.post(
    '/api/graphrag/query-communities',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'queryCommunities',
        tags: ['GraphRAG'],
        summary: 'Find the communities of topics that answer a query',
        description:
          'Communities whose topics are on the memories that a search finds. Where none were detected yet, they are first.',
        body: CommunitiesBody,
        response: {
          200: bodyOf('The communities, best first; none where nothing is known.', {
            data: Type.Array(CommunityHitSchema),
            meta: Type.Object({
              relevanceFloor: relevanceFloorField('Memories of the search below it do not count'),
            }),
          }),
        },
      },
    },
    async ({ user, body: { query, limit = communitiesDefault } }) => {
      const found = await graphRag.queryCommunities(user, { query, limit });
      const data = found.map(({ community, answer, memories, confidence }) => ({
        communityId: community.id,
        communityName: community.name,
        answer,
        confidence,
        topicCount: community.topicCount,
        sources: memories.map(({ id }) => id),
      }));
      return { data, meta: { relevanceFloor: search.relevanceFloor } };
    },
  );

export const graphRagRoutes: readonly Route[] = [queryGraph, explainGraphQuery, queryCommunities];
