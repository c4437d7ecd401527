import { type Kysely, sql } from 'kysely';
import { AppError } from '../../../domain/shared/errors.ts';
import type { CellValue, ReadOptions, TransferRecord, UserHead } from '../../transfer.ts';
import type { Database, UsersTable } from '../core/schema.ts';
import { UserDatabase } from '../core/user-database.ts';
import { isActiveName } from './load-names.ts';
import { type ReadColumns, readShape, readShapes, type TableShape } from './table-shapes.ts';

const rowsPerRead = 100;
type Row = Record<string, unknown>;
type Take = (record: TransferRecord) => Promise<void>;

interface UserReading extends ReadOptions {
  /** A snapshot of the store. */
  readonly db: Kysely<Database>;
  readonly readColumns: ReadColumns;
}

/** Passes users with all their rows to `take`, a page at a time. @throws 404 */
export async function readUsers(
  { db, readColumns, user: name, onProgress }: UserReading,
  take: Take,
): Promise<void> {
  const users = await usersNamed(db, name);
  const shapes = await readShapes(db, readColumns);
  if (name === undefined) shapes.push(await readShape(db, 'api_keys', readColumns));
  let total = 0;
  for (const { id } of users) total += await countRows(new UserDatabase(db, id), shapes);
  let done = 0;
  for (const user of users)
    await readUser({ db, user, shapes }, take, (rows) => {
      done += rows;
      onProgress(done, total);
    });
}

interface OneUser {
  readonly db: Kysely<Database>;
  readonly user: UsersTable;
  readonly shapes: readonly TableShape[];
}

/**
 * Passes one user with the rows of these tables to `take`. @param onRows gets the number of rows of each page
 */
export async function readUser(
  { db, user, shapes }: OneUser,
  take: Take,
  onRows: (rows: number) => void = () => undefined,
): Promise<void> {
  const scoped = new UserDatabase(db, user.id);
  await take({ user: await headOf(scoped, user, shapes) });
  for (const shape of shapes) {
    for await (const rows of pagesOf(scoped, shape)) {
      for (const row of rows) await take({ table: shape.table, row: cellsOf(shape, row) });
      onRows(rows.length);
    }
  }
}

/** @throws 404 if `name` is no user's */
export async function usersNamed(db: Kysely<Database>, name: string | undefined): Promise<UsersTable[]> {
  const query = db
    .selectFrom('users')
    .innerJoin('user_counters', 'user_counters.user_id', 'users.id')
    .selectAll('users')
    .orderBy('users.id');
  if (name === undefined) return (await query.execute()).filter((user) => isActiveName(user.name));
  const found = await query.where('name', '=', name).execute();
  if (found.length === 0) throw new AppError('USER_NOT_FOUND', `There is no user named ${name}.`);
  return found;
}

async function countRows(db: UserDatabase, shapes: readonly TableShape[]): Promise<number> {
  let sum = 0;
  for (const { table } of shapes) {
    const query = db.tables.selectFrom(table as 'memories').select(sql<number>`count(*)`.as('count'));
    sum += Number((await query.executeTakeFirstOrThrow()).count);
  }
  return sum;
}

async function headOf(db: UserDatabase, user: UsersTable, shapes: readonly TableShape[]): Promise<UserHead> {
  const { rev, epoch } = await db.tables
    .selectFrom('user_counters')
    .select(['rev', 'epoch'])
    .executeTakeFirstOrThrow();
  const docs: number[] = [];
  for (const { table } of shapes.filter(({ hasDoc }) => hasDoc)) {
    const query = db.tables.selectFrom(table as 'memories');
    const { first, last } = await query
      .select([sql<number | null>`min(doc)`.as('first'), sql<number | null>`max(doc)`.as('last')])
      .executeTakeFirstOrThrow();
    if (first !== null && last !== null) docs.push(first, last);
  }
  return {
    publicId: user.public_id,
    name: user.name,
    email: user.email,
    createdAt: user.created_at,
    updatedAt: user.updated_at,
    rev,
    epoch,
    firstDoc: docs.length > 0 ? Math.min(...docs) : 1,
    lastDoc: docs.length > 0 ? Math.max(...docs) : 0,
  };
}

async function* pagesOf(db: UserDatabase, { table, key }: TableShape): AsyncGenerator<Row[]> {
  const columns = sql.join(key.map((name) => sql.ref(name)));
  for (let after: readonly unknown[] | undefined; ; ) {
    let query = db.tables.selectFrom(table as 'memories').selectAll();
    if (after) query = query.where(sql<boolean>`(${columns}) > (${sql.join(after)})`);
    for (const name of key) query = query.orderBy(name as 'id');
    const rows: Row[] = await query.limit(rowsPerRead).execute();
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsPerRead) return;
    after = key.map((name) => last[name]);
  }
}

function cellsOf({ columns }: TableShape, row: Row): Record<string, CellValue> {
  return Object.fromEntries(
    columns.map(({ name, type }) => {
      const value = row[name];
      const isBytes = type === 'bytes' && value !== null;
      return [name, (isBytes ? (value as Buffer).toString('base64') : value) as CellValue];
    }),
  );
}
