import type { Entity } from '../../../domain/entities/entity.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { EntityNodeSchema, toEntityRecord } from '../../schemas/entity.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { recordId } from '../../schemas/query.ts';
import { sampleIds } from '../../schemas/samples.ts';

const Body = Type.Object(
  {
    sourceEntityId: recordId('The entity to merge, whose names become aliases.'),
    targetEntityId: recordId('The entity that stays.'),
  },
  { examples: [{ sourceEntityId: sampleIds.otherEntity, targetEntityId: sampleIds.entity }] },
);

export const mergeEntities: Route = (app, { entities }) => {
  app.post(
    '/api/entities/merge',
    {
      schema: {
        operationId: 'mergeEntities',
        tags: ['Entities'],
        summary: 'Merge two entities',
        description:
          'The source is shown as a part of the target from now on, and its id means the target. The merge is in ' +
          'the trash list and can be undone there, or by unmerge.',
        body: Body,
        response: { 200: dataOf(EntityNodeSchema, 'The entity that stays.'), ...errorResponses },
      },
    },
    async (request, reply) => {
      const { user, body } = request;
      const toBody = (entity: Entity) => ({ data: toEntityRecord(entity, user) });
      const act = keyedAct<Entity>(request, reply, 200, (done) => ({ body: toBody(done) }));
      return toBody(await entities.merge(user, body.sourceEntityId, body.targetEntityId, act));
    },
  );
};
