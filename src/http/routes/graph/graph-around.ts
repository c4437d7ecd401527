import type { Static } from 'typebox';
import type { NodeKind } from '../../../domain/graph/graph-store.ts';
import { toIso } from '../../../domain/shared/time.ts';
import type { AroundEdge, AroundNode } from '../../../graph-rag/graph-around.ts';
import type { Span } from '../../../graph-rag/spans.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { dataOf } from '../../schemas/envelope.ts';
import { oneOf } from '../../schemas/query.ts';

const depthMax = 2;
const limitMax = 300;
const limitDefault = 150;

const kinds = ['memory', 'entity', 'topic', 'fact'] as const satisfies readonly NodeKind[];

const Query = Type.Object({
  around: Type.String({
    maxLength: 512,
    pattern: `^(${kinds.join('|')}):.`,
    rule: 'must be memory:ID, entity:ID, topic:ID or fact:ID',
    description: `The centre: \`memory:ID\`, \`entity:ID\`, \`topic:ID\` or \`topic:NAME\`, \`fact:ID\`.`,
    examples: ['topic:deploys'],
  }),
  depth: Type.Optional(
    Type.Integer({ minimum: 1, maximum: depthMax, default: 1, description: 'Steps along links.' }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limitMax,
      default: limitDefault,
      description: 'Maximum nodes, the centre included.',
    }),
  ),
});

const spanFields = {
  validFrom: Type.Optional(Type.String({ description: 'When it begins to hold. Absent: it always did.' })),
  validTo: Type.Optional(Type.String({ description: 'When it ends to hold. Absent: it still does.' })),
};

const AroundNodeSchema = Type.Object(
  {
    kind: oneOf(kinds),
    id: Type.String(),
    name: Type.String({
      description: 'Of a memory, the beginning of its text; of a fact, its words. At most 200 characters.',
    }),
    type: Type.Optional(Type.String({ description: 'Of an entity.' })),
    effectiveState: Type.Optional(Type.String({ description: 'Of a memory or a fact.' })),
    distance: Type.Integer({ minimum: 0, description: 'Steps from the centre.' }),
    hidden: Type.Integer({
      minimum: 0,
      description:
        'Neighbours that are no nodes of the response. Of a topic, entity or fact with more than 32 links, links to ' +
        'earlier versions and to deleted memories count, and it is at most 1,000.',
    }),
    ...spanFields,
  },
  component('GraphAroundNode'),
);

const AroundEdgeSchema = Type.Object(
  {
    type: Type.String({
      description:
        'HAS_TOPIC, MENTIONS, STATES (of a memory), ABOUT (a fact and its entity) or the type of a relationship.',
    }),
    from: Type.String({ description: '`kind:id` of a node.' }),
    to: Type.String({ description: '`kind:id` of a node.' }),
    confidence: Type.Number({ description: '0-1.' }),
    ...spanFields,
  },
  component('GraphAroundEdge'),
);

export const AroundSchema = Type.Object(
  {
    nodes: Type.Array(AroundNodeSchema, { description: 'The centre first, then those of the first step.' }),
    edges: Type.Array(AroundEdgeSchema, {
      description: 'Between these nodes, the most certain first; at most four times `limit`.',
    }),
    hiddenEdges: Type.Integer({ minimum: 0, description: 'Edges between these nodes beyond that.' }),
  },
  component('GraphAround'),
);

const spanOf = ({ validFrom, validTo }: Partial<Span>) => ({
  ...(validFrom != null && { validFrom: toIso(validFrom) }),
  ...(validTo != null && { validTo: toIso(validTo) }),
});

function toNode(node: AroundNode): Static<typeof AroundNodeSchema> {
  const { validFrom, validTo, ...fields } = node;
  return { ...fields, ...spanOf({ validFrom, validTo }) };
}

function toEdge({ from, to, type, confidence, ...span }: AroundEdge): Static<typeof AroundEdgeSchema> {
  return { type, from: `${from.kind}:${from.id}`, to: `${to.kind}:${to.id}`, confidence, ...spanOf(span) };
}

export const getGraphAround: Route = (app, { graphRag }) =>
  app.get(
    '/api/graph',
    {
      schema: {
        operationId: 'getGraphAround',
        tags: ['GraphRAG'],
        summary: 'Get the graph around one thing',
        description:
          'A memory, entity, topic or fact with what is within one or two links of it, now. Of too many nodes, those ' +
          'with the most links to nodes that are there already, of each kind as many as of the others while there are ' +
          'any; with two steps, the first takes at most half of `limit`. Each node says how many neighbours are not shown.',
        querystring: Query,
        response: { 200: dataOf(AroundSchema, 'The nodes and edges.') },
      },
    },
    async ({ user, query: { around, depth = 1, limit = limitDefault } }) => {
      const at = around.indexOf(':');
      const request = { kind: around.slice(0, at) as NodeKind, id: around.slice(at + 1), depth, limit };
      const { nodes, edges, hiddenEdges } = await graphRag.around(user, request);
      return { data: { nodes: nodes.map(toNode), edges: edges.map(toEdge), hiddenEdges } };
    },
  );
