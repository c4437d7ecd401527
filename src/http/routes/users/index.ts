import { AppError } from '../../../domain/shared/errors.ts';
import { toIso } from '../../../domain/shared/time.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { errorResponses } from '../../schemas/envelope.ts';

const absent = Type.Null();

const UserSchema = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    firstName: absent,
    lastName: absent,
    profilePictureUrl: absent,
    status: Type.String(),
    plan: Type.String(),
    memoryLimit: Type.Integer(),
    retentionDays: absent,
    isTestUser: Type.Boolean(),
    isPreviewUser: Type.Boolean(),
    isInternalUser: Type.Boolean(),
    deletionStatus: Type.String(),
    deletionScheduledFor: absent,
    createdAt: Type.String(),
    updatedAt: Type.String(),
  },
  component('User'),
);

const UsageSchema = Type.Object(
  {
    memoriesUsed: Type.Integer(),
    memoryLimit: Type.Integer(),
    memoriesRemaining: Type.Integer(),
    percentUsed: Type.Number(),
    plan: Type.String(),
    quotaBasis: Type.String(),
    periodStart: Type.String(),
    periodEnd: Type.String(),
  },
  component('Usage'),
);

/** A self-hosted service sets no limit; clients want a number. */
const unlimited = Number.MAX_SAFE_INTEGER;
const plan = 'enterprise';

function monthOf(now: number): { start: string; end: string } {
  const date = new Date(now);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { start: toIso(Date.UTC(year, month, 1)), end: toIso(Date.UTC(year, month + 1, 1)) };
}

const getCurrentUser: Route = (app, { users, stores, clock }) => {
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
      if (!user) throw new AppError('AUTHENTICATION_REQUIRED', 'The user of this key is gone.');
      const used = await stores.forUser(user).memories.count();
      const month = monthOf(clock.now());
      return {
        data: {
          id: user.publicId,
          email: user.email,
          firstName: null,
          lastName: null,
          profilePictureUrl: null,
          status: 'active',
          plan,
          memoryLimit: unlimited,
          retentionDays: null,
          isTestUser: false,
          isPreviewUser: false,
          isInternalUser: false,
          deletionStatus: 'none',
          deletionScheduledFor: null,
          createdAt: toIso(user.createdAt),
          updatedAt: toIso(user.updatedAt),
        },
        usage: {
          memoriesUsed: used,
          memoryLimit: unlimited,
          memoriesRemaining: unlimited - used,
          percentUsed: 0,
          plan,
          quotaBasis: 'monthly',
          periodStart: month.start,
          periodEnd: month.end,
        },
      };
    },
  );
};

export const userRoutes: readonly Route[] = [getCurrentUser];
