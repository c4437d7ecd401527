import type { Fact } from '../../../domain/facts/fact.ts';
import { keyedAct } from '../../keyed-act.ts';
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
import { etagOfRecord } from '../../schemas/if-match.ts';
import { recordId } from '../../schemas/query.ts';

const Body = Type.Object(
  {
    subject: subjectField,
    predicate: predicateField,
    object: objectField,
    confidence: confidenceField,
    sourceMemoryId: Type.Optional(recordId('A memory that says it.')),
    memoryId: Type.Optional(recordId('The same, as other clients name it.')),
  },
  {
    examples: [{ subject: 'Deploys', predicate: 'run from', object: 'main' }],
  },
);

export const createFact: Route = (app, { facts }) => {
  app.post(
    '/api/facts',
    {
      schema: {
        operationId: 'createFact',
        tags: ['Facts'],
        summary: 'Store a fact',
        description:
          'A statement of subject, predicate and object. With a memory as its source it is hidden while that ' +
          'memory is in the trash.',
        body: Body,
        response: { 201: dataOf(FactSchema, 'The fact.'), ...errorResponses },
      },
    },
    async (request, reply) => {
      const { user, body } = request;
      const { subject, predicate, object, confidence } = body;
      const sourceMemoryIds = [body.sourceMemoryId, body.memoryId].filter((id) => id !== undefined);
      const toResponse = (fact: Fact) => {
        const data = toFactRecord(fact, user);
        return { body: { data }, etag: etagOfRecord(data) };
      };
      const input = { subject, predicate, object, confidence, sourceMemoryIds };
      const fact = await facts.create(user, input, keyedAct(request, reply, 201, toResponse));
      const made = toResponse(fact);
      return reply.code(201).header('ETag', made.etag).send(made.body);
    },
  );
};
