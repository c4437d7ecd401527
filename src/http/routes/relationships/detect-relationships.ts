import type { Static } from 'typebox';
import type {
  DetectedRelationship,
  RelationshipDetection,
} from '../../../domain/relationships/detection-service.ts';
import { detectedMax } from '../../../domain/relationships/detection-service.ts';
import { automaticConfidenceMin } from '../../../domain/relationships/found-edge.ts';
import { extractionStatuses } from '../../../domain/relationships/found-edge-store.ts';
import { creationMethods, relationshipTypes } from '../../../domain/relationships/relationship.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { described, errorResponses } from '../../schemas/envelope.ts';
import { idParams, oneOf } from '../../schemas/query.ts';
import { EvidenceSchema, RelationshipSchema, toRelationshipRecord } from '../../schemas/relationship.ts';

const Body = Type.Object(
  {
    autoCreate: Type.Optional(
      Type.Boolean({ default: false, description: 'Makes relationships of the candidates.' }),
    ),
    minConfidence: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description:
          'Of what is shown and made. Left out, everything is shown, and candidates are made from ' +
          `${automaticConfidenceMin}: only those that would have been made by themselves, had not a person related the ` +
          'two memories before. Give a lower one to take over what is less certain.',
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

const toBody = ({ relationships, created, extractionStatus }: RelationshipDetection) => ({
  data: relationships.map(toItem),
  autoCreated: created.length > 0,
  created: created.map((each) => toRelationshipRecord(each)),
  meta: { extractionStatus },
});

export const detectRelationships: Route = (app, { relationshipDetection }) => {
  app.post(
    '/api/memories/:id/detect-relationships',
    {
      schema: {
        operationId: 'detectMemoryRelationships',
        tags: ['Relationships'],
        summary: 'List relationships found in the texts, and candidates',
        description:
          'Relationships that stand, and candidates that are not certain enough to be made. A memory that was just ' +
          'written is waited for, a second at most; `meta.extractionStatus` says how far it is.',
        params: idParams,
        body: Type.Optional(Body),
        response: { 200: described(Response, 'What was found.'), ...errorResponses },
      },
    },
    async (request, reply) => {
      const { user, params, body } = request;
      const act = keyedAct<RelationshipDetection>(request, reply, 200, (done) => ({ body: toBody(done) }));
      const { autoCreate = false, minConfidence } = body ?? {};
      return toBody(await relationshipDetection.detect(user, params.id, { autoCreate, minConfidence }, act));
    },
  );
};
