import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import { AppError } from '../../../domain/shared/errors.ts';
import type { Page, PageRequest } from '../../../domain/shared/page.ts';
import type { NewUser, StoreTotals, UnfinishedWork, User, UserStore } from '../../../domain/users/user.ts';
import { throttled } from '../../../lib/throttle.ts';
import { pageOf, type SortColumn } from '../core/page-of.ts';
import type { Database, UsersTable, UserTable } from '../core/schema.ts';
import { documentKindOf, erasedTables } from '../core/user-data-tables.ts';
import type { SqlDriver } from '../sql-driver.ts';
import { isActiveName, isActiveUser, replacedName } from '../transfer/load-names.ts';

/** Rows and documents removed in one step: the event loop and other writes wait some milliseconds for it. */
const rowsAtOnce = 200;
const documentsAtOnce = 50;

const lastUse = (of: ExpressionBuilder<Database, 'users'>) =>
  of
    .selectFrom('api_keys')
    .whereRef('api_keys.user_id', '=', 'users.id')
    .select((key) => key.fn.max('api_keys.last_used_at').as('at'));

/** Each as the condition of an index that has these rows alone. */
const unfinished = {
  topic_merge: (of) =>
    of.selectFrom('topic_merges').select('user_id').where(sql<boolean>`state IN ('running', 'undoing')`),
  conversation_move: (of) => of.selectFrom('trash_entries').select('user_id').where('moving', 'is not', null),
} as const satisfies Record<UnfinishedWork, (of: ExpressionBuilder<Database, 'users'>) => unknown>;

const byName: readonly SortColumn[] = [{ column: 'users.name', part: 'text', order: 'asc' }];

type UserStoreDeps = Pick<SqlDriver, 'read' | 'write' | 'eraseRows' | 'eraseDocuments' | 'scrubWholly'>;

const userColumns = [
  'users.id',
  'users.public_id as publicId',
  'users.name',
  'users.email',
  'users.created_at as createdAt',
  'users.updated_at as updatedAt',
] as const;

export class SqlUserStore implements UserStore {
  readonly #deps: UserStoreDeps;

  constructor(deps: UserStoreDeps) {
    this.#deps = deps;
  }

  async find(id: number): Promise<User | undefined> {
    const row = await this.#active().where('users.id', '=', id).executeTakeFirst();
    return row && isActiveName(row.name) ? row : undefined;
  }

  async findByName(name: string): Promise<User | undefined> {
    const row = await this.#active().where('users.name', '=', name).executeTakeFirst();
    return row && isActiveName(row.name) ? row : undefined;
  }

  async list(): Promise<User[]> {
    const rows = await this.#active().orderBy('users.name').execute();
    return rows.filter(({ name }) => isActiveName(name));
  }

  async page(request: PageRequest): Promise<Page<User>> {
    const active = this.#active().where(isActiveUser);
    return pageOf(active.clearSelect(), active, { by: byName, request });
  }

  async listRecentlyActive(limit: number): Promise<User[]> {
    const rows = await this.#active()
      .where('user_counters.documents', '>', 0)
      .orderBy((of) => of.fn.coalesce(lastUse(of), sql.lit(0)), 'desc')
      .orderBy('user_counters.documents', 'desc')
      .orderBy('users.id')
      .limit(limit)
      .execute();
    return rows.filter(({ name }) => isActiveName(name));
  }

  async listInactive(): Promise<User[]> {
    const rows = await this.#deps.read
      .selectFrom('users')
      .leftJoin('user_counters', 'user_counters.user_id', 'users.id')
      .select(userColumns)
      .select('user_counters.user_id')
      .orderBy('users.name')
      .execute();
    return rows
      .filter(({ name, user_id }) => user_id === null || !isActiveName(name))
      .map(({ user_id, ...user }) => user);
  }

  async listUnfinished(work: UnfinishedWork): Promise<User[]> {
    const rows = await this.#active()
      .where('users.id', 'in', (of) => unfinished[work](of))
      .orderBy('users.id')
      .execute();
    return rows.filter(({ name }) => isActiveName(name));
  }

  async totals(): Promise<StoreTotals> {
    const { fn } = this.#deps.read;
    const row = await this.#deps.read
      .selectFrom('users')
      .innerJoin('user_counters', 'user_counters.user_id', 'users.id')
      .select([fn.countAll().as('users'), fn.sum('user_counters.documents').as('memories')])
      .where(isActiveUser)
      .executeTakeFirst();
    // PostgreSQL answers numbers beyond 32 bits as text, and no sum of no rows.
    return { users: Number(row?.users ?? 0), memories: Number(row?.memories ?? 0) };
  }

  /**
   * A removal deletes the counters with the records, and the
   * row of `users` once the files have none of their text.
   */
  #active() {
    return this.#deps.read
      .selectFrom('users')
      .innerJoin('user_counters', 'user_counters.user_id', 'users.id')
      .select(userColumns);
  }

  async insert(user: NewUser): Promise<User> {
    return this.#deps.write(async (db) => {
      const created = await db
        .insertInto('users')
        .values({
          public_id: user.publicId,
          name: user.name,
          email: user.email,
          created_at: user.at,
          updated_at: user.at,
        } as UsersTable)
        .onConflict((conflict) => conflict.column('name').doNothing())
        .returning(userColumns)
        .executeTakeFirst();
      if (!created) throw new AppError('USER_NAME_CONFLICT', 'There is already a user with this name.');
      const counters = {
        user_id: created.id,
        rev: 0,
        epoch: 0,
        documents: 0,
        document_terms: 0,
        newest_space: 0,
        segments_rev: 0,
        segments_of: '',
      };
      await db.insertInto('user_counters').values(counters).execute();
      return created;
    });
  }

  async retire({ id }: User): Promise<void> {
    const name = replacedName(id);
    await this.#deps.write(async (db) => {
      await deactivate(db, id);
      await db.updateTable('users').set({ name, public_id: name }).where('id', '=', id).execute();
    });
  }

  async erase({ id }: User, signal?: AbortSignal): Promise<void> {
    await this.#deps.write((db) => deactivate(db, id));
    for (const table of erasedTables)
      while (await this.#hasRows(table, id)) {
        if (signal?.aborted) return;
        await throttled(() => this.#eraseSome(table, id), signal);
      }
    await this.#deps.scrubWholly(id);
    await this.#deps.write((db) => db.deleteFrom('users').where('id', '=', id).execute());
  }

  async #hasRows(table: UserTable, userId: number): Promise<boolean> {
    const query = this.#deps.read.selectFrom(table as 'memories').select('user_id');
    return (await query.where('user_id', '=', userId).limit(1).executeTakeFirst()) !== undefined;
  }

  #eraseSome(table: UserTable, userId: number): Promise<void> {
    const { write, eraseRows, eraseDocuments } = this.#deps;
    return write(async (db) => {
      // A lock: of all who erase this user, one at a time.
      await db.updateTable('users').set({ email: '' }).where('id', '=', userId).execute();
      if (!documentKindOf(table)) {
        await eraseRows(db, { table, userId, limit: rowsAtOnce });
        return;
      }
      const own = db
        .selectFrom(table as 'facts')
        .select('doc')
        .where('user_id', '=', userId);
      const docs = (await own.limit(documentsAtOnce).execute()).map(({ doc }) => doc);
      if (docs.length === 0) return;
      await eraseDocuments(db, userId, docs);
      const rows = db.deleteFrom(table as 'facts').where('user_id', '=', userId);
      await rows.where('doc', 'in', docs).execute();
    });
  }
}

/** From here on the user has no key, and each of their transactions finds them gone. */
async function deactivate(db: Kysely<Database>, userId: number): Promise<void> {
  // The lock that each of the user's transactions takes first.
  await db
    .updateTable('user_counters')
    .set({ epoch: sql<number>`epoch + 1` })
    .where('user_id', '=', userId)
    .execute();
  for (const table of ['user_counters', 'api_keys'] as const)
    await db.deleteFrom(table).where('user_id', '=', userId).execute();
}
