import { trashKinds } from '../../../domain/trash/trash.ts';
import type { Restored } from '../../../domain/trash/trash-service.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { idParams, oneOf } from '../../schemas/query.ts';
import { TrashCountsSchema } from '../../schemas/trash.ts';

const RestoredSchema = Type.Object({
  kind: oneOf(trashKinds),
  recordId: Type.String(),
  restored: TrashCountsSchema,
});

const toBody = ({ entry, counts }: Restored) => ({
  data: { kind: entry.kind, recordId: entry.recordId, restored: { ...counts } },
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
        response: { 200: dataOf(RestoredSchema), ...errorResponses },
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
};
