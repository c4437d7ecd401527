import type { Static } from 'typebox';
import type { EffectiveState, Memory } from '../../domain/memories/memory.ts';
import {
  type Narrative,
  narrativeStates,
  narrativeTitleLengthMax,
} from '../../domain/narratives/narrative.ts';
import type { Page } from '../../domain/shared/page.ts';
import { keyedAct } from '../keyed-act.ts';
import { type Route, Type } from '../route-plugin.ts';
import { component } from '../schemas/component.ts';
import { bodyOf, dataOf, inTrash, nextCursorField, noContent } from '../schemas/envelope.ts';
import { etagOfRecord, ifMatch, taggedBody } from '../schemas/if-match.ts';
import { MemorySchema, toMemoryRecord } from '../schemas/memory.ts';
import { topicList, topicListRule } from '../schemas/memory-filter.ts';
import {
  fitPage,
  nextCursorOf,
  TruncatedMetaSchema,
  toListPage,
  toPagination,
  truncatedMeta,
} from '../schemas/pagination.ts';
import { cursorQuery, idParams, oneOf, recordId } from '../schemas/query.ts';
import { NarrativeSchema, toNarrativeRecord } from '../schemas/records.ts';
import { sampleIds } from '../schemas/samples.ts';
import { nameTrashEntry } from './trash.ts';

/** A timeline leaves out this field for duplicates: clients know three values here. */
const threadStates = ['current', 'superseded', 'contradicted'] as const satisfies readonly EffectiveState[];
type ThreadState = (typeof threadStates)[number];

const NarrativeMemorySchema = Type.Object(
  {
    memory: MemorySchema,
    position: Type.Integer({ description: 'From 0, counting the memories that are not in the trash.' }),
    effectiveState: Type.Optional(
      oneOf(threadStates, { description: 'As in the memory; left out for a duplicate.' }),
    ),
  },
  component('NarrativeMemory'),
);

/** Maximum bytes of a narrative as JSON; a character takes at most six. */
function narrativeBytesMax({ title, topics }: Pick<Narrative, 'title' | 'topics'>): number {
  return 1000 + 6 * topics.reduce((units, topic) => units + topic.length + 3, title.length);
}

function isThreadState(state: EffectiveState): state is ThreadState {
  return (threadStates as readonly EffectiveState[]).includes(state);
}

function toNarrativeMemories({ items, offset }: Page<Memory>): Static<typeof NarrativeMemorySchema>[] {
  return items.map((memory, i) => ({
    memory: toMemoryRecord(memory),
    position: offset + i,
    effectiveState: isThreadState(memory.effectiveState) ? memory.effectiveState : undefined,
  }));
}

const narrativeTitle = Type.String({ minLength: 1, maxLength: narrativeTitleLengthMax });

const narrativeTopics = (description: string) => Type.Optional(Type.Array(Type.String(), { description }));

const Query = Type.Object({
  ...cursorQuery,
  state: Type.Optional(oneOf(narrativeStates, component('NarrativeState'))),
  topics: Type.Optional(
    Type.String({
      maxLength: 5000,
      description: `Comma-separated; threads with any of them. ${topicListRule}`,
    }),
  ),
});

const listNarratives: Route = (app, { narratives, stores }) =>
  app.get(
    '/api/narratives',
    {
      schema: {
        operationId: 'listNarratives',
        tags: ['Narratives'],
        summary: 'List narratives',
        description: 'Threads of memories, the last changed first.',
        querystring: Query,
        response: {
          200: bodyOf('One page of narratives, and the number of all that match.', {
            data: Type.Array(NarrativeSchema),
            pagination: Type.Ref('Pagination'),
            meta: Type.Optional(TruncatedMetaSchema),
          }),
        },
      },
    },
    async (request) => {
      const { user, query } = request;
      const topics = await topicList(stores.forUser(user).topics, query.topics);
      const all = await narratives.list(user, { ...toListPage(request), state: query.state, topics });
      const page = fitPage(all, narrativeBytesMax);
      return {
        data: page.items.map((narrative) => toNarrativeRecord(narrative, user)),
        pagination: toPagination(page, request),
        ...truncatedMeta(page),
      };
    },
  );

const CreateBody = Type.Object(
  {
    title: narrativeTitle,
    rootMemoryId: recordId('The first memory of the thread.'),
    topics: narrativeTopics('Left out or empty, the thread shows the topics of its memories.'),
  },
  {
    examples: [{ title: 'Moving the deploys to main', rootMemoryId: sampleIds.memory, topics: ['deploys'] }],
  },
);

const createNarrative: Route = (app, { narratives }) =>
  app.post(
    '/api/narratives',
    {
      schema: {
        operationId: 'createNarrative',
        tags: ['Narratives'],
        summary: 'Start a narrative',
        description: 'An open thread that begins with one memory.',
        body: CreateBody,
        response: { 201: dataOf(NarrativeSchema, 'The narrative.') },
      },
    },
    async (request, reply) => {
      const { user, body } = request;
      const toResponse = (narrative: Narrative) => taggedBody(toNarrativeRecord(narrative, user));
      const narrative = await narratives.create(user, body, keyedAct(request, reply, 201, toResponse));
      const made = toResponse(narrative);
      return reply.code(201).header('ETag', made.etag).send(made.body);
    },
  );

const getNarrative: Route = (app, { narratives }) =>
  app.get(
    '/api/narratives/:id',
    {
      schema: {
        operationId: 'getNarrative',
        tags: ['Narratives'],
        summary: 'Get a narrative',
        description: 'With the changes of its state, the latest 100.',
        params: idParams,
        response: { 200: dataOf(NarrativeSchema, 'The narrative.') },
      },
    },
    async ({ user, params }, reply) => {
      const data = toNarrativeRecord(await narratives.get(user, params.id), user);
      return reply.header('ETag', etagOfRecord(data)).send({ data });
    },
  );

const UpdateBody = Type.Object(
  {
    title: Type.Optional(narrativeTitle),
    state: Type.Optional(
      oneOf(narrativeStates, {
        description:
          'Stored as sent. open and reopened take away the resolution unless one is sent with them.',
      }),
    ),
    resolutionMemoryId: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        minLength: 1,
        maxLength: 200,
        description: 'The memory that resolves the thread; it joins the end if it is not in it. null: none.',
      }),
    ),
    topics: narrativeTopics('In the place of those stated before; empty: those of its memories again.'),
  },
  { examples: [{ state: 'resolved', resolutionMemoryId: sampleIds.otherMemory }] },
);

const updateNarrative: Route = (app, { narratives }) =>
  app.patch(
    '/api/narratives/:id',
    {
      config: { ifMatch: true },
      schema: {
        operationId: 'updateNarrative',
        tags: ['Narratives'],
        summary: 'Change a narrative',
        description:
          'Renames it, moves it to another state, or names its resolution or topics; what the body leaves out stays.',
        params: idParams,
        body: UpdateBody,
        response: { 200: dataOf(NarrativeSchema, 'The narrative as it is now.') },
      },
    },
    async ({ user, params, body, headers }, reply) => {
      const { title, state, resolutionMemoryId, topics } = body;
      const isSeen = ifMatch(headers, (narrative: Narrative) => toNarrativeRecord(narrative, user));
      const change = { title, state, resolutionMemoryId, topics };
      const data = toNarrativeRecord(await narratives.update(user, params.id, change, isSeen), user);
      return reply.header('ETag', etagOfRecord(data)).send({ data });
    },
  );

const deleteNarrative: Route = (app, { narratives, trash }) =>
  app.delete(
    '/api/narratives/:id',
    {
      config: { ifMatch: true },
      schema: {
        operationId: 'deleteNarrative',
        tags: ['Narratives'],
        summary: 'Delete a narrative',
        description: 'Its memories stay. The thread goes to the trash, from which it can be restored.',
        params: idParams,
        response: { 204: inTrash },
      },
    },
    async ({ user, params, headers }, reply) => {
      const isSeen = ifMatch(headers, (narrative: Narrative) => toNarrativeRecord(narrative, user));
      nameTrashEntry(reply, trash, await narratives.delete(user, params.id, isSeen));
      return reply.code(204).send(null);
    },
  );

const AddMemoryBody = Type.Object(
  {
    memoryId: recordId('The memory to put into the thread.'),
    position: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Its place from 0, at most the number of other memories in the thread; the end if left out.',
      }),
    ),
  },
  { examples: [{ memoryId: sampleIds.otherMemory, position: 0 }] },
);

const addMemoryToNarrative: Route = (app, { narratives }) =>
  app.post(
    '/api/narratives/:id/memories',
    {
      schema: {
        operationId: 'addMemoryToNarrative',
        tags: ['Narratives'],
        summary: 'Add a memory to a narrative',
        description: 'At its end, or at `position`; one that is in it already moves there.',
        params: idParams,
        body: AddMemoryBody,
        response: { 200: dataOf(NarrativeSchema, 'The narrative as it is now.') },
      },
    },
    async (request, reply) => {
      const { user, params, body } = request;
      const toBody = (narrative: Narrative) => ({ data: toNarrativeRecord(narrative, user) });
      const act = keyedAct<Narrative>(request, reply, 200, (done) => ({ body: toBody(done) }));
      return toBody(await narratives.addMemory(user, params.id, body, act));
    },
  );

const removeMemoryFromNarrative: Route = (app, { narratives }) =>
  app.delete(
    '/api/narratives/:id/memories/:memoryId',
    {
      schema: {
        operationId: 'removeMemoryFromNarrative',
        tags: ['Narratives'],
        summary: 'Remove a memory from a narrative',
        description: 'The memory itself stays.',
        params: Type.Object({ ...idParams.properties, memoryId: Type.String({ maxLength: 500 }) }),
        response: { 204: noContent('Removed from the narrative.') },
      },
    },
    async ({ user, params }, reply) => {
      await narratives.removeMemory(user, params.id, params.memoryId);
      return reply.code(204).send(null);
    },
  );

const getNarrativeTimeline: Route = (app, { narratives }) =>
  app.get(
    '/api/narratives/:id/timeline',
    {
      schema: {
        operationId: 'getNarrativeTimeline',
        tags: ['Narratives'],
        summary: 'List the memories of a narrative in order',
        description: 'In the order of the thread, with the thread itself.',
        params: idParams,
        querystring: Type.Object(cursorQuery),
        response: {
          200: bodyOf('One page of memories with their positions.', {
            data: Type.Array(NarrativeMemorySchema),
            narrative: NarrativeSchema,
            pagination: Type.Object({
              limit: Type.Integer(),
              offset: Type.Integer(),
              total: Type.Integer({ description: 'All memories of the thread.' }),
              nextCursor: Type.Optional(nextCursorField),
            }),
            meta: Type.Optional(TruncatedMetaSchema),
          }),
        },
      },
    },
    async (request) => {
      const { user, params } = request;
      const { narrative, page } = await narratives.timeline(user, params.id, toListPage(request));
      return {
        data: toNarrativeMemories(page),
        narrative: toNarrativeRecord(narrative, user),
        pagination: {
          limit: page.limit,
          offset: page.offset,
          total: page.count,
          ...nextCursorOf(page, request),
        },
        ...truncatedMeta(page),
      };
    },
  );

export const narrativeRoutes: readonly Route[] = [
  listNarratives,
  createNarrative,
  getNarrative,
  updateNarrative,
  deleteNarrative,
  addMemoryToNarrative,
  removeMemoryFromNarrative,
  getNarrativeTimeline,
];
