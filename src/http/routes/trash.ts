import type { Static } from 'typebox';
import { type EpochMs, toIso } from '../../domain/shared/time.ts';
import { type TrashEntry, trashKinds } from '../../domain/trash/trash.ts';
import type { Restored, TrashService } from '../../domain/trash/trash-service.ts';
import { keyedAct } from '../keyed-act.ts';
import { type Route, Type } from '../route-plugin.ts';
import { component } from '../schemas/component.ts';
import { dataOf, noContent, pageOf } from '../schemas/envelope.ts';
import { toListPage, toPagination } from '../schemas/pagination.ts';
import { cursorQuery, idParams, oneOf, recordId } from '../schemas/query.ts';

const TrashCountsSchema = Type.Record(Type.String(), Type.Integer(), {
  description: 'Records by kind, such as `memories`.',
});

export const TrashEntrySchema = Type.Object(
  {
    id: Type.String({ description: 'Of the entry; restore and erase take it.' }),
    kind: oneOf(trashKinds, component('TrashKind')),
    recordId: Type.String({ description: 'Of the deleted record, which has it again once it is restored.' }),
    title: Type.String({ description: 'Its title, or the beginning of its text.' }),
    deletedAt: Type.String(),
    expiresAt: Type.String({ description: 'After this it is erased for good.' }),
    counts: TrashCountsSchema,
  },
  component('TrashEntry'),
);

function toTrashRecord(entry: TrashEntry, expiresAt: EpochMs): Static<typeof TrashEntrySchema> {
  return {
    id: entry.id,
    kind: entry.kind,
    recordId: entry.recordId,
    title: entry.title,
    deletedAt: toIso(entry.deletedAt),
    expiresAt: toIso(expiresAt),
    counts: { ...entry.counts },
  };
}

/** The header `Trash-Entry` of the response to a delete: the entry that restores the record, if the trash keeps any. */
export function nameTrashEntry(
  reply: { header(name: string, value: string): unknown },
  { isKeeping }: Pick<TrashService, 'isKeeping'>,
  entryId: string,
): void {
  if (isKeeping) reply.header('Trash-Entry', entryId);
}

const Query = Type.Object({
  ...cursorQuery,
  kind: Type.Optional(oneOf(trashKinds, component('TrashKind'))),
  recordId: Type.Optional(recordId('Only the entry of this record.')),
});

const listTrash: Route = (app, { trash }) =>
  app.get(
    '/api/trash',
    {
      schema: {
        operationId: 'listTrash',
        tags: ['Trash'],
        summary: 'List the trash: what was deleted',
        description: 'Last deleted first, with the time at which each entry is erased for good.',
        querystring: Query,
        response: {
          200: pageOf(TrashEntrySchema, 'One page of the trash, and the number of all entries.'),
        },
      },
    },
    async (request) => {
      const { user, query } = request;
      const page = await trash.list(user, {
        ...toListPage(request),
        kind: query.kind,
        recordId: query.recordId,
      });
      const data = page.items.map((entry) => toTrashRecord(entry, trash.expiresAt(entry)));
      return { data, pagination: toPagination(page, request) };
    },
  );

const RestoredSchema = Type.Object(
  {
    kind: oneOf(trashKinds, component('TrashKind')),
    recordId: Type.String(),
    restored: TrashCountsSchema,
  },
  component('RestoredRecord'),
);

const toBody = ({ entry, counts }: Restored) => ({
  data: { kind: entry.kind, recordId: entry.recordId, restored: { ...counts } },
});

const restoreTrashEntry: Route = (app, { trash, topicMerges }) =>
  app.post(
    '/api/trash/:id/restore',
    {
      schema: {
        operationId: 'restoreTrashEntry',
        tags: ['Trash'],
        summary: 'Restore a deleted record',
        description:
          'It comes back as it was, with its id. 409 where another memory has its name by now, or what it ' +
          'belongs to is in the trash itself.',
        params: idParams,
        response: { 200: dataOf(RestoredSchema, 'What was restored.') },
      },
    },
    async (request, reply) => {
      const { user, params } = request;
      const act = keyedAct<Restored>(request, reply, 200, (done) => ({ body: toBody(done) }));
      const restored = await trash.restore(user, params.id, act);
      if (restored.entry.kind === 'topic-merge') await topicMerges.finish(user);
      return toBody(restored);
    },
  );

const eraseTrashEntry: Route = (app, { trash }) =>
  app.delete(
    '/api/trash/:id',
    {
      schema: {
        operationId: 'eraseTrashEntry',
        tags: ['Trash'],
        summary: 'Erase a deleted record for good',
        description: 'Answered when its text is gone from the store. There is no way back.',
        params: idParams,
        response: { 204: noContent('Erased.') },
      },
    },
    async ({ user, params }, reply) => {
      await trash.erase(user, params.id);
      return reply.code(204).send(null);
    },
  );

export const trashRoutes: readonly Route[] = [listTrash, restoreTrashEntry, eraseTrashEntry];
