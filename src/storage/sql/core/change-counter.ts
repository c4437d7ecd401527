import { sql } from 'kysely';
import {
  type Change,
  type ChangedRecord,
  type ChangePosition,
  type ChangeReader,
  changesKept,
} from '../../../domain/changes/change.ts';
import { userGone } from '../../../domain/shared/errors.ts';
import { chunksOf } from '../../../lib/collections.ts';
import { insertion } from './record-columns.ts';
import { type UserDatabase, UserRecords } from './user-database.ts';
import { UserQuery } from './user-query.ts';

const bump = new UserQuery<{ documents: number; terms: number }, { rev: number }>(
  (tables, { documents, terms }) =>
    tables
      .updateTable('user_counters')
      .set({
        rev: sql<number>`rev + 1`,
        documents: sql<number>`documents + ${documents}`,
        document_terms: sql<number>`document_terms + ${terms}`,
      })
      .returning('rev'),
);

const insertChange = insertion('changes', ['rev', 'part', 'kind', 'action', 'record_id']);

const removeUpTo = new UserQuery<{ rev: number }, never>((tables, { rev }) =>
  tables.deleteFrom('changes').where('rev', '<=', rev),
);

/** Old changes are removed once in so many: every number passes `nextRev`, so none of these is missed. */
const revsPerRemoval = 1000;

/** Change of the user's term statistics; negative for removed documents and terms. */
interface StatisticsChange {
  readonly documents: number;
  readonly terms: number;
}

/**
 * Numbers a change of the user. As the first statement of a transaction it
 * also locks the user's row, so that changes are committed in the order of
 * their numbers. Readers of the changes after a number rely on this order.
 * @param changed records that the list of changes then names
 */
export async function nextRev(
  db: UserDatabase,
  change: StatisticsChange,
  ...changed: readonly ChangedRecord[]
): Promise<number> {
  const row = await db.first(bump, { ...change });
  if (!row) throw userGone();
  const { rev } = row;
  if (rev % revsPerRemoval === 0) await db.all(removeUpTo, { rev: rev - changesKept });
  await insertChanges(db, rev, changed);
  return rev;
}

async function insertChanges(db: UserDatabase, rev: number, changed: readonly ChangedRecord[]) {
  if (changed.length === 1) {
    const [{ kind, action, id }] = changed;
    await db.all(insertChange, [rev, 0, kind, action, id]);
    return;
  }
  const rows = changed.map(({ kind, action, id }, part) => ({ rev, part, kind, action, record_id: id }));
  for (const chunk of chunksOf(rows)) await db.tables.insertAll('changes', chunk).execute();
}

/** Names records that were changed by numbers of their own, which `nextRev` gave without naming them. */
export async function recordChanges(
  db: UserDatabase,
  changes: readonly (ChangedRecord & { readonly rev: number })[],
): Promise<void> {
  const rows = changes.map(({ rev, kind, action, id }) => ({ rev, part: 0, kind, action, record_id: id }));
  for (const chunk of chunksOf(rows)) await db.tables.insertAll('changes', chunk).execute();
}

const revOf = new UserQuery<Record<never, never>, { rev: number }>((tables) =>
  tables.selectFrom('user_counters').select('rev'),
);

const changesAfter = new UserQuery<ChangePosition & { limit: number }, Change>((tables, args) =>
  tables
    .selectFrom('changes')
    .select(['rev', 'part', 'kind', 'action', 'record_id as id'])
    .where((row) =>
      row.or([row('rev', '>', args.rev), row.and([row('rev', '=', args.rev), row('part', '>', args.part)])]),
    )
    // The range of the primary key, which SQLite does not find in the OR.
    .where('rev', '>=', args.rev)
    .orderBy('rev')
    .orderBy('part')
    .limit(args.limit)
    .$castTo<Change>(),
);

export class SqlChangeReader extends UserRecords implements ChangeReader {
  async head(): Promise<number> {
    return (await this.db.first(revOf, {}))?.rev ?? 0;
  }

  after({ rev, part }: ChangePosition, limit: number): Promise<Change[]> {
    return this.db.all(changesAfter, { rev, part, limit });
  }
}
