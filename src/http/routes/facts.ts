import { type Fact, factLengthMax, factSorts } from '../../domain/facts/fact.ts';
import { invalidInput } from '../../domain/shared/errors.ts';
import type { Ensured } from '../../domain/shared/external-id.ts';
import { isoPattern, isoRule, parseTime, toIso } from '../../domain/shared/time.ts';
import { keyedAct } from '../keyed-act.ts';
import { type Route, Type } from '../route-plugin.ts';
import { component } from '../schemas/component.ts';
import {
  ensuredResponses,
  externalIdField,
  externalIdQuery,
  ImportQuery,
  toEnsured,
} from '../schemas/ensured.ts';
import { bodyOf, dataOf, inTrash, pageOf } from '../schemas/envelope.ts';
import { etagOfRecord, ifMatch } from '../schemas/if-match.ts';
import { goesOn, toListPage, toPagination } from '../schemas/pagination.ts';
import {
  cursorQuery,
  idParams,
  limitField,
  limitOf,
  oneOf,
  recordId,
  relevanceFloorField,
  sortDirection,
} from '../schemas/query.ts';
import { FactSchema, toFactRecord } from '../schemas/records.ts';
import { nameTrashEntry } from './trash.ts';

const words = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, description: `${description} Not blank.` });

const subjectField = words(factLengthMax.subject, 'Name of what it is about.');
const predicateField = words(factLengthMax.predicate, 'The relation of the subject to the object.');
const objectField = words(factLengthMax.object, 'Name or value that the subject is related to.');
const confidenceField = Type.Optional(Type.Number({ minimum: 0, maximum: 1 }));

const timeField = (description: string) =>
  Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength: 64,
      pattern: isoPattern,
      rule: isoRule,
      description,
    }),
  );

const validityFields = {
  validFrom: timeField('When it began to hold; null or absent: its memories say.'),
  validTo: timeField('When it ceases to hold, itself not included; a date alone means its end.'),
} as const;

interface Validity {
  readonly validFrom?: string | null;
  readonly validTo?: string | null;
}

/** @throws 422 for unreadable times */
const toValidity = ({ validFrom, validTo }: Validity) => ({
  validFrom: typeof validFrom === 'string' ? parseTime(validFrom, 'validFrom') : validFrom,
  validTo: typeof validTo === 'string' ? parseTime(validTo, 'validTo', 'end') : validTo,
});

const includeSupersededField = Type.Optional(
  Type.Boolean({
    default: false,
    description:
      'Adds facts that no memory states which holds now: superseded, contradicted, expired, future.',
  }),
);

const Query = Type.Object({
  ...cursorQuery,
  memoryId: Type.Optional(recordId('Only facts drawn from this memory.')),
  entityId: Type.Optional(
    recordId('Only derived facts about this entity, under any of its names, or about one merged into it.'),
  ),
  subject: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: factLengthMax.subject,
      description: 'Only facts about this, compared without case and accents.',
    }),
  ),
  q: Type.Optional(
    Type.String({
      maxLength: factLengthMax.subject,
      description:
        'A part of subject, predicate and object, read as one text without case and accents. Best matches first: the ' +
        'search of facts.',
    }),
  ),
  minConfidence: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  externalId: externalIdQuery('fact'),
  includeSuperseded: includeSupersededField,
  sortBy: Type.Optional(oneOf(factSorts, { default: 'createdAt' })),
  order: Type.Optional(sortDirection),
});

const listFacts: Route = (app, { facts, clock }) =>
  app.get(
    '/api/facts',
    {
      schema: {
        operationId: 'listFacts',
        tags: ['Facts'],
        summary: 'List facts',
        description:
          'Newest first, or highest confidence first with `sortBy=confidence`. Without what no memory states that holds ' +
          'now; `includeSuperseded=true` adds it.',
        querystring: Query,
        response: {
          200: bodyOf('One page of facts, and the number of all that match.', {
            data: Type.Array(FactSchema),
            count: Type.Integer({ description: 'All that match, not only those on this page.' }),
            pagination: Type.Optional(Type.Ref('Pagination')),
          }),
        },
      },
    },
    async (request) => {
      const { user, query } = request;
      const { memoryId, entityId, subject, minConfidence, externalId } = query;
      const { includeSuperseded = false, sortBy = 'createdAt', order = 'desc' } = query;
      const page = await facts.list(user, {
        ...toListPage(request),
        memoryId,
        entityId,
        subject,
        q: query.q?.trim() ? query.q : undefined,
        minConfidence,
        externalId,
        includeSuperseded,
        sortBy,
        order,
      });
      return {
        data: page.items.map((fact) => toFactRecord(fact, user, clock.now())),
        count: page.count,
        ...goesOn(page, request),
      };
    },
  );

const CreateBody = Type.Object(
  {
    subject: subjectField,
    predicate: predicateField,
    object: objectField,
    confidence: confidenceField,
    sourceMemoryId: Type.Optional(recordId('A memory that says it.')),
    memoryId: Type.Optional(recordId('The same, as other clients name it.')),
    ...validityFields,
    externalId: externalIdField('fact'),
  },
  {
    examples: [{ subject: 'Deploys', predicate: 'run from', object: 'main' }],
  },
);

const createFact: Route = (app, { facts, imports, clock }) =>
  app.post(
    '/api/facts',
    {
      schema: {
        operationId: 'createFact',
        tags: ['Facts'],
        summary: 'Store a fact',
        description:
          'A statement of subject, predicate and object. With a memory as its source it is hidden while that ' +
          'memory is in the trash. A second create with the same `externalId` writes nothing and returns the first.',
        querystring: ImportQuery,
        body: CreateBody,
        response: ensuredResponses(FactSchema, 'The fact.'),
      },
    },
    async (request, reply) => {
      const { user, body, query } = request;
      const { importId } = query;
      if (importId !== undefined) await imports.get(user, importId);
      const { subject, predicate, object, confidence, externalId } = body;
      const validity = toValidity(body);
      const sourceMemoryIds = [body.sourceMemoryId, body.memoryId].filter((id) => id !== undefined);
      const toResponse = (made: Ensured<Fact>) =>
        toEnsured(made, (fact) => toFactRecord(fact, user, clock.now()));
      const stated = { subject, predicate, object, confidence, ...validity };
      const input = { ...stated, sourceMemoryIds, externalId, importId };
      const made = toResponse(await facts.create(user, input, keyedAct(request, reply, 201, toResponse)));
      return reply.code(made.status).header('ETag', made.etag).send(made.body);
    },
  );

const getFactById: Route = (app, { facts, clock }) =>
  app.get(
    '/api/facts/:id',
    {
      schema: {
        operationId: 'getFactById',
        tags: ['Facts'],
        summary: 'Get a fact',
        description: 'With the ids of the memories that it was drawn from.',
        params: idParams,
        response: { 200: dataOf(FactSchema, 'The fact.') },
      },
    },
    async ({ user, params }, reply) => {
      const data = toFactRecord(await facts.get(user, params.id), user, clock.now());
      return reply.header('ETag', etagOfRecord(data)).send({ data });
    },
  );

const FactVersionSchema = Type.Object(
  {
    subject: Type.String(),
    predicate: Type.String(),
    object: Type.String(),
    confidence: Type.Number({ description: '0-1.' }),
    openedAt: Type.String({ description: 'Since when it said this.' }),
    closedAt: Type.String({ description: 'When it was edited.' }),
  },
  component('FactVersion'),
);

const getFactVersions: Route = (app, { facts }) =>
  app.get(
    '/api/facts/:id/versions',
    {
      schema: {
        operationId: 'getFactVersions',
        tags: ['Facts'],
        summary: 'List what a fact said before',
        description:
          'Its words before each edit, those of the last edit first. What it says now is the fact.',
        params: idParams,
        querystring: Type.Object(cursorQuery),
        response: { 200: pageOf(FactVersionSchema, 'One page of its former words.') },
      },
    },
    async (request) => {
      const page = await facts.versions(request.user, request.params.id, toListPage(request));
      const data = page.items.map(({ openedAt, closedAt, ...said }) => ({
        ...said,
        openedAt: toIso(openedAt),
        closedAt: toIso(closedAt),
      }));
      return { data, pagination: toPagination(page, request) };
    },
  );

const UpdateBody = Type.Object(
  {
    subject: Type.Optional(subjectField),
    predicate: Type.Optional(predicateField),
    object: Type.Optional(objectField),
    confidence: confidenceField,
    ...validityFields,
  },
  { examples: [{ object: 'the main branch', confidence: 0.9 }] },
);

const updateFact: Route = (app, { facts, clock }) =>
  app.put(
    '/api/facts/:id',
    {
      config: { ifMatch: true },
      schema: {
        operationId: 'updateFact',
        tags: ['Facts'],
        summary: 'Change a fact',
        description:
          'Changes only the fields that the body names. Searches with `asOfTime` still know what it said before.',
        params: idParams,
        body: UpdateBody,
        response: { 200: dataOf(FactSchema, 'The fact as it is now.') },
      },
    },
    async ({ user, params, body, headers }, reply) => {
      const { subject, predicate, object, confidence } = body;
      const isSeen = ifMatch(headers, (fact: Fact) => toFactRecord(fact, user, clock.now()));
      const change = { subject, predicate, object, confidence, ...toValidity(body) };
      const data = toFactRecord(await facts.update(user, params.id, change, isSeen), user, clock.now());
      return reply.header('ETag', etagOfRecord(data)).send({ data });
    },
  );

const DeleteQuery = Type.Object({
  importId: Type.Optional(
    recordId('The import that does not state it any more: a later one that does takes it out of the trash.'),
  ),
});

const deleteFact: Route = (app, { facts, imports, trash, clock }) =>
  app.delete(
    '/api/facts/:id',
    {
      config: { ifMatch: true },
      schema: {
        operationId: 'deleteFact',
        tags: ['Facts'],
        summary: 'Delete a fact',
        description: 'It goes to the trash, from which it can be restored.',
        params: idParams,
        querystring: DeleteQuery,
        response: { 204: inTrash },
      },
    },
    async ({ user, params, query: { importId }, headers }, reply) => {
      if (importId !== undefined) await imports.get(user, importId);
      const assertSeen = ifMatch(headers, (fact: Fact) => toFactRecord(fact, user, clock.now()));
      nameTrashEntry(reply, trash, await facts.delete(user, params.id, { assertSeen, importId }));
      return reply.code(204).send(null);
    },
  );

const SearchBody = Type.Object(
  {
    query: Type.String({ minLength: 1, maxLength: 2000 }),
    limit: limitField,
    includeSuperseded: includeSupersededField,
  },
  { examples: [{ query: 'where do deploys run from' }] },
);

const searchFacts: Route = (app, { search, clock }) =>
  app.post(
    '/api/facts/search',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'searchFacts',
        tags: ['Facts', 'Search'],
        summary: 'Search facts',
        description: 'Semantic and keyword search over subject, predicate and object; best match first.',
        body: SearchBody,
        response: {
          200: bodyOf('The facts that match.', {
            data: Type.Array(FactSchema),
            count: Type.Integer({ description: 'All that match, not only those given.' }),
            metadata: Type.Object({
              query: Type.String({ description: 'As it was sent.' }),
              searchMethod: oneOf(['hybrid', 'keyword'], { description: 'The search method used.' }),
              relevanceFloor: relevanceFloorField('Facts that match less are left out'),
            }),
          }),
        },
      },
    },
    async ({ user, body }) => {
      const { query, includeSuperseded } = body;
      if (query.trim() === '') throw invalidInput('query', 'must not be blank');
      const { facts, total, method } = await search.facts(user, {
        query,
        limit: limitOf(body),
        includeSuperseded,
      });
      return {
        data: facts.map((fact) => toFactRecord(fact, user, clock.now())),
        count: total,
        metadata: { query, searchMethod: method, relevanceFloor: search.relevanceFloor },
      };
    },
  );

export const factRoutes: readonly Route[] = [
  listFacts,
  createFact,
  getFactById,
  getFactVersions,
  updateFact,
  deleteFact,
  searchFacts,
];
