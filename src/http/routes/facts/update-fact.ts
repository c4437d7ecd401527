import { type Route, Type } from '../../route-plugin.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import {
  confidenceField,
  FactSchema,
  objectField,
  predicateField,
  subjectField,
  toFactRecord,
} from '../../schemas/fact.ts';
import { idParams } from '../../schemas/query.ts';

const Body = Type.Object(
  {
    subject: Type.Optional(subjectField),
    predicate: Type.Optional(predicateField),
    object: Type.Optional(objectField),
    confidence: confidenceField,
  },
  { examples: [{ object: 'the main branch', confidence: 0.9 }] },
);

export const updateFact: Route = (app, { facts }) => {
  app.put(
    '/api/facts/:id',
    {
      schema: {
        operationId: 'updateFact',
        tags: ['Facts'],
        summary: 'Change what the body names of a fact and nothing else',
        params: idParams,
        body: Body,
        response: { 200: dataOf(FactSchema), ...errorResponses },
      },
    },
    async ({ user, params, body }) => {
      const { subject, predicate, object, confidence } = body;
      const fact = await facts.update(user, params.id, { subject, predicate, object, confidence });
      return { data: toFactRecord(fact, user) };
    },
  );
};
