import type { Fact } from '../../../domain/facts/fact.ts';
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
import { etagOfRecord, ifMatch } from '../../schemas/if-match.ts';
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
      config: { ifMatch: true },
      schema: {
        operationId: 'updateFact',
        tags: ['Facts'],
        summary: 'Change a fact',
        description:
          'Changes what the body names and nothing else. Searches with `asOfTime` still know what it said before.',
        params: idParams,
        body: Body,
        response: { 200: dataOf(FactSchema, 'The fact as it is now.'), ...errorResponses },
      },
    },
    async ({ user, params, body, headers }, reply) => {
      const { subject, predicate, object, confidence } = body;
      const isSeen = ifMatch(headers, (fact: Fact) => toFactRecord(fact, user));
      const change = { subject, predicate, object, confidence };
      const data = toFactRecord(await facts.update(user, params.id, change, isSeen), user);
      return reply.header('ETag', etagOfRecord(data)).send({ data });
    },
  );
};
