import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { idParams, oneOf } from '../../schemas/query.ts';
import { RelationshipSchema, toRelationshipRecord } from '../../schemas/relationship.ts';

const directions = ['outgoing', 'incoming', 'both'] as const;
const shownMax = 1000;

export const listRelationships: Route = (app, { relationships }) => {
  app.get(
    '/api/memories/:id/relationships',
    {
      schema: {
        operationId: 'getMemoryRelationships',
        tags: ['Relationships'],
        summary: 'List the relationships of a memory',
        description:
          'Oldest first, at most 1,000; `direction` chooses those that start at it, end at it, or both. Those that were ' +
          'found in the texts say by which words (`evidence`).',
        params: idParams,
        querystring: Type.Object({ direction: Type.Optional(oneOf(directions, { default: 'both' })) }),
        response: {
          200: Type.Object(
            {
              data: Type.Array(RelationshipSchema),
              sourceMemoryId: Type.String({ description: 'The memory asked about.' }),
              direction: oneOf(directions),
            },
            { description: 'The relationships.' },
          ),
          ...errorResponses,
        },
      },
    },
    async ({ user, params, query: { direction = 'both' } }) => {
      const found = await relationships.list(user, params.id, direction, shownMax);
      const evidence = await relationships.evidenceOf(user, found);
      const data = found.map((edge, i) => toRelationshipRecord(edge, evidence[i]));
      return { data, sourceMemoryId: params.id, direction };
    },
  );
};
