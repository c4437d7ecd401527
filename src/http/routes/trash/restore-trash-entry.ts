import { trashKinds } from '../../../domain/trash/trash.ts';
import type { Restored } from '../../../domain/trash/trash-service.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { idParams, oneOf } from '../../schemas/query.ts';
import { TrashCountsSchema } from '../../schemas/trash.ts';

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

export const restoreTrashEntry: Route = (app, { trash, topicMerges }) => {
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
        response: { 200: dataOf(RestoredSchema, 'What was restored.'), ...errorResponses },
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
