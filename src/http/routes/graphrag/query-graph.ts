import { toIso } from '../../../domain/shared/time.ts';
import type { GraphOutcome } from '../../../graph-rag/graph-outcome.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { MemorySchema, toMemoryRecord } from '../../schemas/memory.ts';
import { fitRecords } from '../../schemas/pagination.ts';
import { limitUpTo } from '../../schemas/query.ts';
import { GraphNameSchema, graphDepthMax } from './graph-schemas.ts';

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
    score: Type.Number({ description: 'Personalised PageRank by that of the best memory, 0-1.' }),
    topics: Type.Array(GraphNameSchema),
    entities: Type.Array(GraphNameSchema),
    relatedMemories: Type.Array(RelatedSchema, { description: 'At most 3.' }),
    answer: Type.String({
      description: 'Sentences of the memory that have most of the query, as they stand.',
    }),
    sources: Type.Array(Type.String(), { description: 'Ids of the memories that the answer is from.' }),
    confidence: Type.Number({
      description:
        "Share of the query's words that the memory has, or its similarity where that is more: 0-1.",
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
      degraded: Type.Optional(Type.Boolean({ description: 'True where a part of the search gave nothing.' })),
      truncated: Type.Optional(
        Type.Boolean({ description: 'True where results were left out: a response holds 8 MiB of records.' }),
      ),
    }),
  },
  component('GraphQueryResponse'),
);

function toRecord({ queryId, request, at, hits, method, branchFailures }: GraphOutcome) {
  const records = hits.map(({ memory, topics, entities, relatedMemories, ...hit }) => ({
    memory: toMemoryRecord(memory),
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
      ...(branchFailures.length > 0 && { degraded: true }),
      ...(isFull && { truncated: true }),
    },
  };
}

export const queryGraph: Route = (app, { graphRag }) => {
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
        response: { 200: dataOf(ResponseSchema, 'The memories, best first.'), ...errorResponses },
      },
    },
    async ({ user, body }) => {
      const { query, maxDepth = body.depth ?? depthDefault, limit = limitDefault } = body;
      const { includeRelationships = true } = body;
      return { data: toRecord(await graphRag.query(user, { query, maxDepth, limit, includeRelationships })) };
    },
  );
};
