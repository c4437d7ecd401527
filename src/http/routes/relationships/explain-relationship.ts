import type { Static } from 'typebox';
import type { RelationshipExplanation } from '../../../domain/relationships/explanation-service.ts';
import { relationshipTypes } from '../../../domain/relationships/relationship.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { idParams, oneOf } from '../../schemas/query.ts';
import { RelationshipSchema, toRelationshipRecord } from '../../schemas/relationship.ts';
import { sampleIds } from '../../schemas/samples.ts';

const Body = Type.Object(
  {
    otherMemoryId: Type.String({ minLength: 1, maxLength: 500 }),
    relationshipType: oneOf(relationshipTypes, { description: 'The relationship asked about.' }),
  },
  { examples: [{ otherMemoryId: sampleIds.otherMemory, relationshipType: 'SUPERSEDES' }] },
);

const FactSchema = Type.Object({
  id: Type.String(),
  subject: Type.String(),
  predicate: Type.String(),
  object: Type.String(),
});

const ExplanationSchema = Type.Object({
  explanation: Type.String({ description: 'What was found, in sentences.' }),
  relationships: Type.Array(RelationshipSchema, {
    description: 'Between the two memories, those that stand.',
  }),
  path: Type.Array(RelationshipSchema, {
    description:
      'Where none joins the two: the shortest way over other memories, of at most 4 relationships.',
  }),
  sharedEntities: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), type: Type.String() })),
  sharedFacts: Type.Array(FactSchema, { description: 'Said by both.' }),
  sharedTopics: Type.Array(Type.String()),
});

function toData({ text, grounds }: RelationshipExplanation): Static<typeof ExplanationSchema> {
  const { relationships, path = [], entities, facts, topics } = grounds;
  return {
    explanation: text,
    relationships: relationships.map(({ edge, evidence }) => toRelationshipRecord(edge, evidence)),
    path: path.map((edge) => toRelationshipRecord(edge)),
    sharedEntities: [...entities],
    sharedFacts: [...facts],
    sharedTopics: [...topics],
  };
}

export const explainRelationship: Route = (app, { relationshipExplanations }) => {
  app.post(
    '/api/memories/:id/explain-relationship',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'explainMemoryRelationship',
        tags: ['Relationships'],
        summary: 'Explain what two memories have to do with each other',
        description:
          'Put together from what is stored: relationships with their reasons and evidence, candidates, ways over other ' +
          'memories, shared entities, facts and topics, and times. Nothing is made up, and no language model is asked.',
        params: idParams,
        body: Body,
        response: { 200: dataOf(ExplanationSchema, 'The explanation.'), ...errorResponses },
      },
    },
    async ({ user, params, body }) => {
      const { otherMemoryId, relationshipType } = body;
      const asked = { memoryId: params.id, otherMemoryId, type: relationshipType };
      return { data: toData(await relationshipExplanations.explain(user, asked)) };
    },
  );
};
