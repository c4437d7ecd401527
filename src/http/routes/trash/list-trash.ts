import { trashKinds } from '../../../domain/trash/trash.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { toListPage, toPagination } from '../../schemas/pagination.ts';
import { cursorQuery, oneOf } from '../../schemas/query.ts';
import { TrashEntrySchema, toTrashRecord } from '../../schemas/trash.ts';

const Query = Type.Object({ ...cursorQuery, kind: Type.Optional(oneOf(trashKinds, component('TrashKind'))) });

export const listTrash: Route = (app, { trash }) => {
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
          200: Type.Object(
            { data: Type.Array(TrashEntrySchema), pagination: Type.Ref('Pagination') },
            { description: 'One page of the trash, and the number of all entries.' },
          ),
          ...errorResponses,
        },
      },
    },
    async (request) => {
      const { user, query } = request;
      const page = await trash.list(user, { ...toListPage(request), kind: query.kind });
      const data = page.items.map((entry) => toTrashRecord(entry, trash.expiresAt(entry)));
      return { data, pagination: toPagination(page, request) };
    },
  );
};
