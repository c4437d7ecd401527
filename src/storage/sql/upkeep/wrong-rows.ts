import { type Kysely, sql } from 'kysely';
import { chunksOf } from '../../../lib/collections.ts';
import { throttled } from '../../../lib/throttle.ts';
import type { StrayRows } from '../../upkeep.ts';
import type { Database, UsersTable } from '../core/schema.ts';
import { erasedTables } from '../core/user-data-tables.ts';
import type { UpkeepDeps } from '../sql-driver.ts';
import { isActiveName } from '../transfer/load-names.ts';
import { readUser } from '../transfer/read-users.ts';
import { ShapeCheck } from '../transfer/record-check.ts';
import { type ReadColumns, readShapes } from '../transfer/table-shapes.ts';

const tablesAtOnce = 4;

/** Rows without a user in `users`: no request can reach or remove them. */
export async function findStrayRows(db: Kysely<Database>): Promise<StrayRows[]> {
  const strays: StrayRows[] = [];
  for (const table of erasedTables) {
    const rows = await db
      .selectFrom(table as 'memories')
      .select(['user_id', sql<number>`count(*)`.as('count')])
      .where('user_id', 'not in', db.selectFrom('users').select('id'))
      .groupBy('user_id')
      .execute();
    for (const { user_id, count } of rows) strays.push({ table, userId: user_id, rows: Number(count) });
  }
  return strays;
}

/** Users whose records are erased; their row of `users` stays until the files contain none of their text. */
export async function findUnfinishedRemovals(db: Kysely<Database>): Promise<string[]> {
  const rows = await db
    .selectFrom('users')
    .leftJoin('user_counters', 'user_counters.user_id', 'users.id')
    .select('users.name')
    .where('user_counters.user_id', 'is', null)
    .orderBy('users.name')
    .execute();
  return rows.map(({ name }) => name).filter(isActiveName);
}

/** Deletes rows of users who no longer exist; their documents in the keyword index count as orphans. */
export async function eraseStrayRows(
  { write }: Pick<UpkeepDeps, 'write'>,
  strays: readonly StrayRows[],
): Promise<void> {
  const users = [...new Set(strays.map(({ userId }) => userId))];
  for (const userId of users) {
    // In the order of `erasedTables`, in which rows can go without breaking a reference.
    for (const tables of chunksOf(erasedTables, tablesAtOnce)) {
      await throttled(() =>
        write(async (db) => {
          const alive = await db.selectFrom('users').select('id').where('id', '=', userId).executeTakeFirst();
          if (alive) return;
          for (const table of tables)
            await db
              .deleteFrom(table as 'memories')
              .where('user_id', '=', userId)
              .execute();
        }),
      );
    }
  }
}

const shownMax = 100;

export interface UnfitRows {
  readonly count: number;
  /** The first of them, each with its table, its key, the column and the rule. */
  readonly shown: readonly string[];
}

export const noUnfitRows: UnfitRows = { count: 0, shown: [] };

/** Rows of one user that an import of an export of this user would refuse, by the same check. */
export async function findUnfitRows(
  db: Kysely<Database>,
  readColumns: ReadColumns,
  user: UsersTable,
): Promise<UnfitRows> {
  const shapes = await readShapes(db, readColumns);
  const check = new ShapeCheck(shapes);
  const shown: string[] = [];
  let count = 0;
  const note = (wrong: string) => {
    count++;
    if (shown.length < shownMax) shown.push(wrong);
  };
  await readUser({ db, user, shapes }, async (record) => {
    const wrong = check.check(record);
    if (wrong !== undefined) note(wrong);
  });
  for (const wrong of check.end()) note(wrong);
  return { count, shown };
}
