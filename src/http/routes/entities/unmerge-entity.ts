import type { Entity } from '../../../domain/entities/entity.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { EntityNodeSchema, toEntityRecord } from '../../schemas/entity.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { recordId } from '../../schemas/query.ts';
import { sampleIds } from '../../schemas/samples.ts';

const Body = Type.Object(
  { entityId: recordId('One of the `mergedEntities` of another entity.') },
  { examples: [{ entityId: sampleIds.mergedEntity }] },
);

export const unmergeEntity: Route = (app, { entities }) => {
  app.post(
    '/api/entities/unmerge',
    {
      schema: {
        operationId: 'unmergeEntity',
        tags: ['Entities'],
        summary: 'Take an entity out of another',
        description:
          'It is an entity of its own again, with what was a part of it. Whoever merged them, a person or a rule: no ' +
          'rule does it again.',
        body: Body,
        response: { 200: dataOf(EntityNodeSchema, 'The entity that was taken out.'), ...errorResponses },
      },
    },
    async (request, reply) => {
      const { user, body } = request;
      const toBody = (entity: Entity) => ({ data: toEntityRecord(entity, user) });
      const act = keyedAct<Entity>(request, reply, 200, (done) => ({ body: toBody(done) }));
      return toBody(await entities.unmerge(user, body.entityId, act));
    },
  );
};
