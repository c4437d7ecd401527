import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { AppError, removalUnfinished } from '../../../domain/shared/errors.ts';
import { defaultEmail } from '../../../domain/users/user.ts';
import type { CellValue, UserHead } from '../../transfer.ts';
import type { Database, UsersTable } from '../core/schema.ts';
import { exportedTables } from '../core/user-data-tables.ts';
import { UserDatabase } from '../core/user-database.ts';
import { dropSegments } from '../search-index/segment-rows.ts';
import { isActiveName, replacedName } from './load-names.ts';
import { LoadSupersededError } from './user-loader.ts';

export type KeyRow = Readonly<Record<string, CellValue>>;

export interface LoadedUser {
  readonly userId: number;
  /** Name of the user until it is activated. */
  readonly loadingName: string;
  readonly head: UserHead;
  readonly keys: readonly KeyRow[];
}

type Db = Kysely<Database>;

/** @throws 409 USER_NOT_EMPTY */
export async function assertNoRecords(db: Db, { id, name }: Pick<UsersTable, 'id' | 'name'>): Promise<void> {
  for (const table of exportedTables) {
    const query = new UserDatabase(db, id).tables.selectFrom(table as 'memories').select('user_id');
    if (await query.limit(1).executeTakeFirst()) {
      throw new AppError(
        'USER_NOT_EMPTY',
        `The user ${name} has records already. Name another user, or remove this one first.`,
      );
    }
  }
}

/**
 * Recounts the rows that were written, also by conversation: counts in the file are
 * not trusted. A conversation in the trash keeps its count, for a restore. The change
 * counter may be above that of the file: vectors written late take numbers from it.
 */
async function setCounters(db: Db, { userId, head }: LoadedUser): Promise<void> {
  const loaded = new UserDatabase(db, userId);
  const { tables } = loaded;
  // The rows have change numbers of the store that they were exported from.
  await dropSegments(loaded);
  const live = await tables
    .selectFrom('memory_versions')
    .where('closed_at', 'is', null)
    .where('trashed', '=', 0)
    .select([sql<number>`count(*)`.as('documents'), sql<number | null>`sum(term_count)`.as('terms')])
    .executeTakeFirstOrThrow();
  await sql`UPDATE conversations SET memory_count = (
      SELECT count(*) FROM memories AS m JOIN memory_versions AS v ON v.user_id = m.user_id AND v.memory_seq = m.seq
      WHERE m.user_id = ${userId} AND m.conversation_id = conversations.id
        AND v.closed_at IS NULL AND v.trashed = 0
    ) WHERE user_id = ${userId} AND trashed_at IS NULL`.execute(db);
  await tables
    .updateTable('user_counters')
    .set({
      rev: sql<number>`CASE WHEN rev > ${head.rev} THEN rev ELSE ${head.rev} END`,
      epoch: head.epoch,
      documents: Number(live.documents),
      document_terms: Number(live.terms ?? 0),
    })
    .execute();
}

async function activate(
  db: Db,
  { userId, loadingName }: LoadedUser,
  fields: Partial<UsersTable>,
): Promise<void> {
  const renamed = await db
    .updateTable('users')
    .set(fields)
    .where('id', '=', userId)
    .where('name', '=', loadingName)
    .returning('id')
    .executeTakeFirst();
  if (!renamed) throw new LoadSupersededError();
}

const byName = (db: Db, name: string) =>
  db.selectFrom('users').selectAll().where('name', '=', name).executeTakeFirst();

/**
 * Replaces the user of this name, if there is one, by the loaded user, who takes over its identity and keys.
 */
export async function activateOne(db: Db, loaded: LoadedUser, name: string): Promise<void> {
  const { userId, head } = loaded;
  await setCounters(db, loaded);
  const present = await byName(db, name);
  if (present) {
    // The lock that each transaction of the user takes first: rows committed before it are seen below.
    const { tables } = new UserDatabase(db, present.id);
    const locked = await tables
      .updateTable('user_counters')
      .set({ epoch: sql<number>`epoch + 1` })
      .returning('epoch')
      .executeTakeFirst();
    if (!locked) throw removalUnfinished(name);
    await assertNoRecords(db, present);
    await db.updateTable('api_keys').set({ user_id: userId }).where('user_id', '=', present.id).execute();
    for (const table of ['idempotency_keys', 'user_terms', 'index_segments', 'user_counters'] as const)
      await tables.deleteFrom(table).execute();
    await db.deleteFrom('users').where('id', '=', present.id).execute();
    const { public_id, email, created_at, updated_at } = present;
    return activate(db, loaded, { name, public_id, email, created_at, updated_at });
  }
  const taken = await db
    .selectFrom('users')
    .select('id')
    .where('public_id', '=', head.publicId)
    .executeTakeFirst();
  const withEmail = db.selectFrom('users').select('id').where('email', '=', head.email);
  const isEmailTaken = await withEmail.where('id', '!=', userId).executeTakeFirst();
  await activate(db, loaded, {
    name,
    public_id: taken ? randomUUID() : head.publicId,
    email: isEmailTaken ? defaultEmail(name) : head.email,
    created_at: head.createdAt,
    updated_at: head.updatedAt,
  });
}

/**
 * Replaces all users by the loaded ones, with their keys.
 * The former users lose their keys and wait to be erased.
 */
export async function activateAll(db: Db, loaded: readonly LoadedUser[]): Promise<void> {
  const present = await db.selectFrom('users').select(['id', 'name']).execute();
  for (const { id } of present.filter(({ name }) => isActiveName(name))) {
    await db.deleteFrom('api_keys').where('user_id', '=', id).execute();
    await db
      .updateTable('users')
      .set({ name: replacedName(id), public_id: replacedName(id) })
      .where('id', '=', id)
      .execute();
  }
  for (const user of loaded) {
    const { userId, head, keys } = user;
    await setCounters(db, user);
    await activate(db, user, {
      name: head.name,
      public_id: head.publicId,
      email: head.email,
      created_at: head.createdAt,
      updated_at: head.updatedAt,
    });
    for (const key of keys) {
      await db
        .insertInto('api_keys')
        .values({ ...key, user_id: userId } as never)
        .execute();
    }
  }
}
