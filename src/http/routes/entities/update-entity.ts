import type { Entity } from '../../../domain/entities/entity.ts';
import { entityNameMax } from '../../../domain/entities/entity.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { EntityNodeSchema, editableEntity, entityTypeField, toEntityRecord } from '../../schemas/entity.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { etagOfRecord, ifMatch } from '../../schemas/if-match.ts';
import { idParams } from '../../schemas/query.ts';

const Body = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        maxLength: entityNameMax,
        description: 'Its name from now on; empty: the name that its memories give it.',
      }),
    ),
    type: Type.Optional(entityTypeField),
  },
  { examples: [{ name: 'Ada Lovelace', type: 'PERSON' }] },
);

export const updateEntity: Route = (app, { entities }) => {
  app.patch(
    '/api/entities/:id',
    {
      config: { ifMatch: true },
      schema: {
        operationId: 'updateEntity',
        tags: ['Entities'],
        summary: 'Correct an entity',
        description:
          'Gives it another name or type; what the body leaves out stays. Memories that call it by its former name ' +
          'go on to mention it, and nothing derived later changes what was written here.',
        params: idParams,
        body: Body,
        response: { 200: dataOf(EntityNodeSchema, 'The entity as it is now.'), ...errorResponses },
      },
    },
    async ({ user, params, body: { name, type }, headers }, reply) => {
      const isSeen = ifMatch<Entity>(headers, editableEntity);
      const entity = await entities.update(user, params.id, { name, type }, isSeen);
      const etag = etagOfRecord(editableEntity(entity));
      return reply.header('ETag', etag).send({ data: toEntityRecord(entity, user) });
    },
  );
};
