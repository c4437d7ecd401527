import type { Static } from 'typebox';
import { effectiveStates } from '../../../domain/memories/memory.ts';
import {
  type DetectedRelationship,
  detectedMax,
  type RelationshipDetection,
} from '../../../domain/relationships/detect-relationships.ts';
import type { RelationshipExplanation } from '../../../domain/relationships/explain-relationship.ts';
import {
  automaticConfidenceMin,
  extractionStatuses,
} from '../../../domain/relationships/found-relationship.ts';
import {
  creationMethods,
  type Relationship,
  reasonLengthMax,
  relationshipTypes,
} from '../../../domain/relationships/relationship.ts';
import type { ChangedState } from '../../../domain/relationships/relationship-service.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { bodyOf, dataOf, described, noContent } from '../../schemas/envelope.ts';
import { idParams, oneOf, recordId } from '../../schemas/query.ts';
import { EvidenceSchema, RelationshipSchema, toRelationshipRecord } from '../../schemas/relationship.ts';
import { sampleIds } from '../../schemas/samples.ts';

const CreateBody = Type.Object(
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

const toRelationshipBody = (relationship: Relationship) => ({ data: toRelationshipRecord(relationship) });

const CreateQuery = Type.Object({
  importId: Type.Optional(
    recordId('The import that it comes from: one that was deleted here is not brought back (409).'),
  ),
});

const createRelationship: Route = (app, { relationships, imports }) =>
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
        querystring: CreateQuery,
        body: CreateBody,
        response: { 201: dataOf(RelationshipSchema, 'The relationship.') },
      },
    },
    async (request, reply) => {
      const { user, params, body } = request;
      const { importId } = request.query;
      if (importId !== undefined) await imports.get(user, importId);
      const { targetMemoryId, type, confidence = 1, reason } = body;
      const input = { targetMemoryId, type, confidence, reason: reason || null, importId };
      const act = keyedAct<Relationship>(request, reply, 201, (done) => ({ body: toRelationshipBody(done) }));
      return reply
        .code(201)
        .send(toRelationshipBody(await relationships.create(user, params.id, input, act)));
    },
  );

const directions = ['outgoing', 'incoming', 'both'] as const;
const shownMax = 1000;

const listRelationships: Route = (app, { relationships }) =>
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
          200: bodyOf('The relationships.', {
            data: Type.Array(RelationshipSchema),
            sourceMemoryId: Type.String({ description: 'The memory asked about.' }),
            direction: oneOf(directions),
          }),
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

const deleteRelationship: Route = (app, { relationships }) =>
  app.delete(
    '/api/memories/:id/relationships/:relationshipId',
    {
      schema: {
        operationId: 'deleteMemoryRelationship',
        tags: ['Relationships'],
        summary: 'Remove a relationship',
        description:
          'States follow at once. Searches with `asOfTime` still know it for the time when it was there. ' +
          'One that was found in the texts does not come back.',
        params: Type.Object({ ...idParams.properties, relationshipId: Type.String({ maxLength: 500 }) }),
        response: { 204: noContent('Removed.') },
      },
    },
    async ({ user, params }, reply) => {
      await relationships.delete(user, params.id, params.relationshipId);
      return reply.code(204).send(null);
    },
  );

const DetectBody = Type.Object(
  {
    autoCreate: Type.Optional(
      Type.Boolean({ default: false, description: 'Makes relationships of the candidates.' }),
    ),
    minConfidence: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description:
          'Applies to what is listed and to what is created. Without it, everything is listed, and candidates are created from ' +
          `${automaticConfidenceMin}: only those that would be created automatically if a person had not related the ` +
          'two memories before. A lower value also accepts less certain ones.',
      }),
    ),
  },
  { examples: [{ autoCreate: false, minConfidence: 0.5 }] },
);

const ItemSchema = Type.Object(
  {
    targetMemoryId: Type.String({ description: 'The other memory.' }),
    direction: oneOf(['outgoing', 'incoming'], {
      description: 'outgoing: the memory asked about is the source.',
    }),
    type: oneOf(relationshipTypes, component('RelationshipType')),
    confidence: Type.Number(),
    reason: Type.Optional(Type.String()),
    evidence: Type.Optional(EvidenceSchema),
    status: oneOf(['active', 'candidate'], {
      description: 'candidate: nothing follows from it until it is made a relationship.',
    }),
    relationshipId: Type.Optional(Type.String({ description: 'Of one that is active.' })),
    creationMethod: oneOf(creationMethods, component('CreationMethod')),
  },
  component('DetectedRelationship'),
);

const Response = Type.Object({
  data: Type.Array(ItemSchema, { description: `The surest first, at most ${2 * detectedMax}.` }),
  autoCreated: Type.Boolean({ description: 'Whether this call made any.' }),
  created: Type.Array(RelationshipSchema, { description: 'Those that it made.' }),
  meta: Type.Object({
    extractionStatus: oneOf(extractionStatuses, {
      description: 'pending or running: more may be found once the memory is compared with others.',
    }),
  }),
});

const toItem = (found: DetectedRelationship): Static<typeof ItemSchema> => ({
  targetMemoryId: found.otherId,
  direction: found.direction,
  type: found.type,
  confidence: found.confidence,
  reason: found.reason ?? undefined,
  evidence: found.evidence,
  status: found.relationshipId ? 'active' : 'candidate',
  relationshipId: found.relationshipId,
  creationMethod: found.creationMethod,
});

const toDetectionBody = ({ relationships, created, extractionStatus }: RelationshipDetection) => ({
  data: relationships.map(toItem),
  autoCreated: created.length > 0,
  created: created.map((each) => toRelationshipRecord(each)),
  meta: { extractionStatus },
});

const detectRelationships: Route = (app, { relationshipDetection }) =>
  app.post(
    '/api/memories/:id/detect-relationships',
    {
      schema: {
        operationId: 'detectMemoryRelationships',
        tags: ['Relationships'],
        summary: 'List relationships found in the texts, and candidates',
        description:
          'Current relationships, and candidates that are too uncertain to be created automatically. Waits at most a ' +
          'second for a memory that was just written; `meta.extractionStatus` says how far it is.',
        params: idParams,
        body: Type.Optional(DetectBody),
        response: { 200: described(Response, 'What was found.') },
      },
    },
    async (request, reply) => {
      const { user, params, body } = request;
      const act = keyedAct<RelationshipDetection>(request, reply, 200, (done) => ({
        body: toDetectionBody(done),
      }));
      const { autoCreate = false, minConfidence } = body ?? {};
      return toDetectionBody(
        await relationshipDetection.detect(user, params.id, { autoCreate, minConfidence }, act),
      );
    },
  );

const ExplainBody = Type.Object(
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
    relationships: relationships.map((one) => toRelationshipRecord(one.relationship, one.evidence)),
    path: path.map((one) => toRelationshipRecord(one)),
    sharedEntities: [...entities],
    sharedFacts: [...facts],
    sharedTopics: [...topics],
  };
}

const explainRelationship: Route = (app, { relationshipExplanations }) =>
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
        body: ExplainBody,
        response: { 200: dataOf(ExplanationSchema, 'The explanation.') },
      },
    },
    async ({ user, params, body }) => {
      const { otherMemoryId, relationshipType } = body;
      const asked = { memoryId: params.id, otherMemoryId, type: relationshipType };
      return { data: toData(await relationshipExplanations.explain(user, asked)) };
    },
  );

const toRepairBody = (repaired: readonly ChangedState[]) => ({
  repaired: repaired.length,
  memories: repaired.slice(0, shownMax),
});

const repairEffectiveState: Route = (app, { relationships }) =>
  app.post(
    '/api/memories/repair-effective-state',
    {
      schema: {
        operationId: 'repairEffectiveState',
        tags: ['Relationships'],
        summary: 'Recompute the states of all memories',
        description:
          'Computes every effectiveState from the relationships again. States follow each change by themselves; ' +
          'this is for stores that were changed by hand.',
        response: {
          200: bodyOf('The memories whose state was wrong.', {
            repaired: Type.Integer(),
            memories: Type.Array(
              Type.Object({
                memoryId: Type.String(),
                previousState: oneOf(effectiveStates, component('EffectiveState')),
              }),
              { description: `At most ${shownMax.toLocaleString('en')} of them.` },
            ),
          }),
        },
      },
    },
    async (request, reply) => {
      const act = keyedAct(request, reply, 200, (done: readonly ChangedState[]) => ({
        body: toRepairBody(done),
      }));
      return toRepairBody(await relationships.repairStates(request.user, act));
    },
  );

export const relationshipRoutes: readonly Route[] = [
  createRelationship,
  listRelationships,
  deleteRelationship,
  detectRelationships,
  explainRelationship,
  repairEffectiveState,
];
