import type { Route } from '../../route-plugin.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { toUsageRecord, UsageSchema } from '../../schemas/user.ts';

export const getUsage: Route = (app, { stores, clock }) => {
  app.get(
    '/api/users/me/usage',
    {
      config: { scope: 'any' },
      schema: {
        operationId: 'getCurrentUserUsage',
        tags: ['Users'],
        summary: 'Show how much the user of this key has stored',
        description:
          'Any valid key may ask. Limits, plan and period are there for clients of hosted services; this service sets none.',
        response: {
          200: dataOf(UsageSchema, 'How many memories are stored, those in the trash not counted.'),
          ...errorResponses,
        },
      },
    },
    async ({ user }) => ({
      data: toUsageRecord(await stores.forUser(user).memories.count(), clock.now()),
    }),
  );
};
