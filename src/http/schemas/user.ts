import { type Static, Type } from 'typebox';
import { toIso } from '../../domain/shared/time.ts';
import type { User } from '../../domain/users/user.ts';
import { component } from './component.ts';

const absent = Type.Null();

export const UserSchema = Type.Object(
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

export const UsageSchema = Type.Object(
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

/** A user as the operator sees it. */
export const StoreUserSchema = Type.Object(
  {
    name: Type.String({ description: 'How the operator calls the user; clients of the user do not see it.' }),
    id: Type.String({ description: 'What clients of the user see as their id.' }),
    email: Type.String(),
    createdAt: Type.String(),
  },
  component('StoreUser'),
);

export function toStoreUserRecord({
  name,
  publicId,
  email,
  createdAt,
}: User): Static<typeof StoreUserSchema> {
  return { name, id: publicId, email, createdAt: toIso(createdAt) };
}

/** A self-hosted service has no limit; clients expect a number. */
const unlimited = Number.MAX_SAFE_INTEGER;
const plan = 'enterprise';

export function toUserRecord(user: User): Static<typeof UserSchema> {
  return {
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
  };
}

/** @param used number of memories that are not in the trash */
export function toUsageRecord(used: number, now: number): Static<typeof UsageSchema> {
  const month = monthOf(now);
  return {
    memoriesUsed: used,
    memoryLimit: unlimited,
    memoriesRemaining: unlimited - used,
    percentUsed: 0,
    plan,
    quotaBasis: 'monthly',
    periodStart: month.start,
    periodEnd: month.end,
  };
}

function monthOf(now: number): { start: string; end: string } {
  const date = new Date(now);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { start: toIso(Date.UTC(year, month, 1)), end: toIso(Date.UTC(year, month + 1, 1)) };
}
