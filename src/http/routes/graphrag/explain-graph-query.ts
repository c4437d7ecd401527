import { toIso } from '../../../domain/shared/time.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { recordId } from '../../schemas/query.ts';
import { sampleIds } from '../../schemas/samples.ts';
import { GraphNodeSchema } from './graph-schemas.ts';

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

export const explainGraphQuery: Route = (app, { graphRag }) => {
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
        response: { 200: dataOf(TraceSchema, 'The trace.'), ...errorResponses },
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
};
