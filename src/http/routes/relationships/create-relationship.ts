import {
  type Relationship,
  reasonLengthMax,
  relationshipTypes,
} from '../../../domain/relationships/relationship.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { idParams, oneOf } from '../../schemas/query.ts';
import { RelationshipSchema, toRelationshipRecord } from '../../schemas/relationship.ts';
import { sampleIds } from '../../schemas/samples.ts';

const Body = Type.Object(
  {
    targetMemoryId: Type.String({ minLength: 1, maxLength: 500 }),
    type: oneOf(relationshipTypes, {
      description: 'SUPERSEDES, CONTRADICTS and DUPLICATES decide the effectiveState of the target.',
    }),
    confidence: Type.Optional(Type.Number({ minimum: 0, maximum: 1, default: 1 })),
    reason: Type.Optional(Type.String({ maxLength: reasonLengthMax })),
  },
  { examples: [{ targetMemoryId: sampleIds.otherMemory, type: 'SUPERSEDES', reason: 'The plan changed.' }] },
);

const toBody = (relationship: Relationship) => ({ data: toRelationshipRecord(relationship) });

export const createRelationship: Route = (app, { relationships }) => {
  app.post(
    '/api/memories/:id/relationships',
    {
      schema: {
        operationId: 'createMemoryRelationship',
        tags: ['Relationships'],
        summary: 'Relate a memory to another',
        description:
          '`SUPERSEDES`, `CONTRADICTS` and `DUPLICATES` change the effectiveState of the target in the same ' +
          'transaction; 409 where the two are related so already, or a memory would supersede itself.',
        params: idParams,
        body: Body,
        response: { 201: dataOf(RelationshipSchema, 'The relationship.'), ...errorResponses },
      },
    },
    async (request, reply) => {
      const { user, params, body } = request;
      const { targetMemoryId, type, confidence = 1, reason } = body;
      const input = { targetMemoryId, type, confidence, reason: reason || null };
      const act = keyedAct<Relationship>(request, reply, 201, (done) => ({ body: toBody(done) }));
      return reply.code(201).send(toBody(await relationships.create(user, params.id, input, act)));
    },
  );
};
