import { trashKinds } from '../../../domain/trash/trash.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { idParams, oneOf } from '../../schemas/query.ts';
import { TrashCountsSchema } from '../../schemas/trash.ts';

const Restored = Type.Object({
  kind: oneOf(trashKinds),
  recordId: Type.String(),
  restored: TrashCountsSchema,
});

export const restoreTrashEntry: Route = (app, { trash, topicMerges }) => {
  app.post(
    '/api/trash/:id/restore',
    {
      schema: {
        operationId: 'restoreTrashEntry',
        tags: ['Trash'],
        summary: 'Bring a deleted record back as it was; 409 where another memory has its name meanwhile',
        params: idParams,
        response: { 200: dataOf(Restored), ...errorResponses },
      },
    },
    async ({ user, params }) => {
      const { entry, counts } = await trash.restore(user, params.id);
      if (entry.kind === 'topic-merge') await topicMerges.finish(user);
      return { data: { kind: entry.kind, recordId: entry.recordId, restored: { ...counts } } };
    },
  );
};
