import type { Kysely } from 'kysely';
import type { UserRef } from '../../../domain/shared/user-ref.ts';
import type { Database } from '../core/schema.ts';

/** Users with entries deleted at or before `deletedUntil`, or whose erasing was begun. Reads every user's trash. */
export async function usersWithDue(
  db: Kysely<Database>,
  deletedUntil: number,
  limit: number,
): Promise<UserRef[]> {
  const rows = await db
    .selectFrom('users')
    .select(['id', 'public_id', 'name'])
    .where('id', 'in', (users) =>
      users
        .selectFrom('trash_entries')
        .select('user_id')
        .where((entry) =>
          entry.or([entry('deleted_at', '<=', deletedUntil), entry('erased_at', 'is not', null)]),
        ),
    )
    // Who is half-loaded, or about to be erased as a whole.
    .where('name', 'not like', '(%')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id, public_id, name }) => ({ id, publicId: public_id, name }));
}
