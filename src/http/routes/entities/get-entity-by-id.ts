import type { Route } from '../../route-plugin.ts';
import { EntityNodeSchema, editableEntity, toEntityRecord } from '../../schemas/entity.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { etagOfRecord } from '../../schemas/if-match.ts';
import { idParams } from '../../schemas/query.ts';

export const getEntityById: Route = (app, { entities }) => {
  app.get(
    '/api/entities/:id',
    {
      schema: {
        operationId: 'getEntityById',
        tags: ['Entities'],
        summary: 'Get an entity',
        description: 'The id of one that was merged into another gives the other.',
        params: idParams,
        response: { 200: dataOf(EntityNodeSchema, 'The entity.'), ...errorResponses },
      },
    },
    async ({ user, params }, reply) => {
      const entity = await entities.get(user, params.id);
      const etag = etagOfRecord(editableEntity(entity));
      return reply.header('ETag', etag).send({ data: toEntityRecord(entity, user) });
    },
  );
};
