import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { sampleIds } from '../../schemas/samples.ts';
import { bulkFailures, bulkIds, toBulkFailures } from './bulk-response.ts';

const Body = Type.Object(
  {
    ids: bulkIds,
    confirmDeletion: Type.Literal(true, { description: 'Anything but true changes nothing.' }),
  },
  { examples: [{ ids: [sampleIds.memory], confirmDeletion: true }] },
);

export const bulkDeleteMemories: Route = (app, { memories }) => {
  app.delete(
    '/api/memories/bulk',
    {
      schema: {
        operationId: 'bulkDeleteMemories',
        tags: ['Memories'],
        summary: 'Delete up to 100 memories',
        description: 'Each goes to the trash. One that cannot be deleted does not stop the others.',
        body: Body,
        response: {
          200: Type.Object(
            { deleted: Type.Integer(), ...bulkFailures },
            { description: 'How many were deleted, and what failed.' },
          ),
          ...errorResponses,
        },
      },
    },
    async ({ user, body }) => {
      const { done, errors } = await memories.bulkDelete(user, body.ids);
      return { deleted: done, ...toBulkFailures(errors) };
    },
  );
};
