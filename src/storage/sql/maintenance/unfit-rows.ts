import type { Kysely } from 'kysely';
import type { Database, UsersTable } from '../core/schema.ts';
import { readUser } from '../transfer/read-users.ts';
import { ShapeCheck } from '../transfer/record-check.ts';
import { type ReadColumns, readShapes } from '../transfer/table-shapes.ts';

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
