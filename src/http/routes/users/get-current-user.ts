import { userGone } from '../../../domain/shared/errors.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { toUsageRecord, toUserRecord, UsageSchema, UserSchema } from '../../schemas/user.ts';

export const getCurrentUser: Route = (app, { users, stores, clock }) => {
  app.get(
    '/api/users/me',
    {
      config: { scope: 'any' },
      schema: {
        operationId: 'getCurrentUser',
        tags: ['Users'],
        summary: 'Show the user of this key',
        description:
          'Any valid key may ask. Limits and plan are there for clients of hosted services; this service sets none.',
        response: {
          200: Type.Object(
            { data: UserSchema, usage: UsageSchema },
            { description: 'The user, and how much is stored.' },
          ),
          ...errorResponses,
        },
      },
    },
    async (request) => {
      const user = await users.find(request.user.id);
      if (!user) throw userGone();
      const used = await stores.forUser(user).memories.count();
      return { data: toUserRecord(user), usage: toUsageRecord(used, clock.now()) };
    },
  );
};
