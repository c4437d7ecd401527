import type { Static } from 'typebox';
import type { ReviewedRelationship } from '../../../domain/relationships/found-relationship.ts';
import { reasonKindOf } from '../../../domain/relationships/found-relationship.ts';
import { type Relationship, relationshipTypes } from '../../../domain/relationships/relationship.ts';
import { candidateIdOf, type Reviewed } from '../../../domain/relationships/review-relationships.ts';
import { invalidInput } from '../../../domain/shared/errors.ts';
import { pageLimitDefault } from '../../../domain/shared/page.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { bodyOf, dataOf, noContent } from '../../schemas/envelope.ts';
import { toListPage, toPagination } from '../../schemas/pagination.ts';
import { cursorQuery, idParams, limitUpTo, oneOf, share } from '../../schemas/query.ts';
import { RelationshipSchema, toRelationshipRecord } from '../../schemas/relationship.ts';
import { sampleIds } from '../../schemas/samples.ts';

const states = ['active', 'candidate'] as const;

export const ReviewedSchema = Type.Object(
  {
    ...RelationshipSchema.properties,
    id: Type.String({
      description:
        'Of the relationship; of a candidate its type and its ends, which stay when texts are derived again.',
      examples: [`RESOLVES~${sampleIds.memory}~${sampleIds.otherMemory}`],
    }),
    state: oneOf(states, { description: 'candidate: nothing follows from it until it is accepted.' }),
    reasonKind: Type.Optional(
      Type.String({
        description: 'The reason without what it quotes: the same for all that one rule finds.',
        examples: ['Perhaps a problem and its fix …'],
      }),
    ),
  },
  component('ReviewedRelationship'),
);

/** Each one is shown with its words. */
const listedMax = 200;

const Query = Type.Object({
  ...cursorQuery,
  limit: limitUpTo(listedMax, pageLimitDefault),
  state: Type.Optional(oneOf(states, { default: 'candidate' })),
  type: Type.Optional(oneOf(relationshipTypes, component('RelationshipType'))),
  minConfidence: Type.Optional(share),
  reasonKind: Type.Optional(
    Type.String({
      maxLength: 500,
      description: 'Only candidates of this kind of reason, as `meta.reasons` has it.',
    }),
  ),
  undecided: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'With `state=active`: only those that were found, and that nobody accepted.',
    }),
  ),
});

const ReasonsMeta = Type.Object({
  reasons: Type.Array(
    Type.Object({
      reasonKind: Type.String(),
      type: oneOf(relationshipTypes, component('RelationshipType')),
      count: Type.Integer(),
    }),
    {
      description:
        'Kinds of reasons of all candidates from `minConfidence` on, the largest first, at most 100.',
    },
  ),
});

function toReviewed(
  relationship: ReviewedRelationship,
  evidence?: Reviewed['evidence'],
): Static<typeof ReviewedSchema> {
  const { state, reason } = relationship;
  const reasonKind = reason === null ? undefined : reasonKindOf(reason);
  if ('id' in relationship) return { ...toRelationshipRecord(relationship, evidence), state, reasonKind };
  const id = candidateIdOf(relationship);
  return { ...toRelationshipRecord({ ...relationship, id }, evidence), state, reasonKind };
}

const listForReview: Route = (app, { relationshipReview }) =>
  app.get(
    '/api/relationships',
    {
      schema: {
        operationId: 'listRelationships',
        tags: ['Relationships'],
        summary: 'List candidates, or relationships, of all memories',
        description:
          'The surest first. Candidates were found in the texts and are too uncertain to act; those that were accepted or ' +
          'rejected are not among them.',
        querystring: Query,
        response: {
          200: bodyOf('One page of them.', {
            data: Type.Array(ReviewedSchema),
            pagination: Type.Ref('Pagination'),
            meta: ReasonsMeta,
          }),
        },
      },
    },
    async (request) => {
      const { user, query } = request;
      const { state = 'candidate', type, minConfidence, reasonKind, undecided = false } = query;
      if (state === 'active' && reasonKind !== undefined)
        throw invalidInput('reasonKind', 'must not be sent with state active');
      const asked = {
        ...toListPage(request),
        state,
        type,
        minConfidence,
        reasonKind,
        isUndecided: undecided,
      };
      const { page, groups } = await relationshipReview.list(user, asked);
      const data = page.items.map(({ relationship, evidence }) => toReviewed(relationship, evidence));
      return { data, pagination: toPagination(page, request), meta: { reasons: [...groups] } };
    },
  );

const AcceptBody = Type.Object(
  {
    type: Type.Optional(oneOf(relationshipTypes, { description: 'In place of the type that was found.' })),
    swap: Type.Optional(
      Type.Boolean({ default: false, description: 'The other way round: the target becomes the source.' }),
    ),
  },
  { examples: [{ type: 'FOLLOWS' }] },
);

const toAccepted = (relationship: Relationship) => ({ data: toRelationshipRecord(relationship) });

const acceptCandidate: Route = (app, { relationshipReview }) =>
  app.post(
    '/api/relationships/candidates/:id/accept',
    {
      schema: {
        operationId: 'acceptRelationshipCandidate',
        tags: ['Relationships'],
        summary: 'Accept a relationship that was found',
        description:
          'Makes a relationship of a candidate, with its reason and evidence, and keeps one that acts already: derivation ' +
          'does not withdraw it. With another type or direction it is a statement of yours (`manual`), and what was found ' +
          'is rejected. The id may be that of a relationship.',
        params: idParams,
        body: Type.Optional(AcceptBody),
        response: { 201: dataOf(RelationshipSchema, 'The relationship.') },
      },
    },
    async (request, reply) => {
      const { type, swap = false } = request.body ?? {};
      const act = keyedAct<Relationship>(request, reply, 201, (done) => ({ body: toAccepted(done) }));
      const accepted = await relationshipReview.accept(
        request.user,
        request.params.id,
        { type, isSwapped: swap },
        act,
      );
      return reply.code(201).send(toAccepted(accepted));
    },
  );

const rejectCandidate: Route = (app, { relationshipReview }) =>
  app.post(
    '/api/relationships/candidates/:id/reject',
    {
      schema: {
        operationId: 'rejectRelationshipCandidate',
        tags: ['Relationships'],
        summary: 'Reject a relationship that was found',
        description:
          'It is not found again, also when everything is derived again. A relationship that acts is removed; the id may ' +
          'be that of one.',
        params: idParams,
        response: { 204: noContent('Rejected.') },
      },
    },
    async (request, reply) => {
      const { user, params } = request;
      const act = keyedAct<void>(request, reply, 204, () => ({ body: null }));
      await relationshipReview.reject(user, params.id, act);
      return reply.code(204).send(null);
    },
  );

const toReopened = (relationship: ReviewedRelationship) => ({ data: toReviewed(relationship) });

const reopenCandidate: Route = (app, { relationshipReview }) =>
  app.post(
    '/api/relationships/candidates/:id/reopen',
    {
      schema: {
        operationId: 'reopenRelationshipCandidate',
        tags: ['Relationships'],
        summary: 'Take back that a relationship was accepted, rejected or removed',
        description:
          'By the id that was accepted or rejected. A candidate waits again; a relationship that was removed acts again, ' +
          'with a new id, its reason and its evidence.',
        params: idParams,
        response: { 200: dataOf(ReviewedSchema, 'The candidate or the relationship.') },
      },
    },
    async (request, reply) => {
      const act = keyedAct<ReviewedRelationship>(request, reply, 200, (done) => ({ body: toReopened(done) }));
      return toReopened(await relationshipReview.reopen(request.user, request.params.id, act));
    },
  );

export const relationshipReviewRoutes: readonly Route[] = [
  listForReview,
  acceptCandidate,
  rejectCandidate,
  reopenCandidate,
];
