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

interface Bump extends StatisticsChange {
  readonly numbers: number;
}

const bump = new UserQuery<Bump, { rev: number }>((tables, { numbers, documents, terms }) =>
  tables
    .updateTable('user_counters')
    .set({
      rev: sql<number>`rev + ${numbers}`,
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
  const rev = await numberOf(db, change);
  if (rev % revsPerRemoval === 0) await db.all(removeUpTo, { rev: rev - changesKept });
  await insertChanges(
    db,
    changed.map((record, part) => ({ ...record, rev, part })),
  );
  return rev;
}

/** Numbers given since the first one, and changes of statistics, that are not written yet. */
interface PendingNumbers {
  /** Undefined before the first one. */
  last: number | undefined;
  numbers: number;
  documents: number;
  terms: number;
}

/** By transaction. */
const pendingNumbers = new WeakMap<UserDatabase, PendingNumbers>();

async function numberOf(db: UserDatabase, { documents, terms }: StatisticsChange): Promise<number> {
  const pending = pendingNumbers.get(db);
  if (pending?.last === undefined) {
    const row = await db.first(bump, { numbers: 1, documents, terms });
    if (!row) throw userGone();
    if (pending) pending.last = row.rev;
    return row.rev;
  }
  pending.numbers++;
  pending.documents += documents;
  pending.terms += terms;
  return ++pending.last;
}

/**
 * Writes the numbers of all changes of `body` by two statements: only the first one locks the user's row, and others
 * cannot take numbers after it until the transaction ends.
 */
export async function numberTogether<T>(db: UserDatabase, body: () => Promise<T>): Promise<T> {
  const pending = { last: undefined, numbers: 0, documents: 0, terms: 0 };
  pendingNumbers.set(db, pending);
  try {
    const done = await body();
    const { numbers, documents, terms } = pending;
    if (numbers > 0) await db.all(bump, { numbers, documents, terms });
    return done;
  } finally {
    pendingNumbers.delete(db);
  }
}

type NumberedRecord = ChangedRecord & { readonly rev: number };

async function insertChanges(
  db: UserDatabase,
  changes: readonly (NumberedRecord & { readonly part: number })[],
): Promise<void> {
  if (changes.length === 1) {
    const [{ rev, part, kind, action, id }] = changes;
    await db.all(insertChange, [rev, part, kind, action, id]);
    return;
  }
  const rows = changes.map(({ rev, part, kind, action, id }) => ({ rev, part, kind, action, record_id: id }));
  for (const chunk of chunksOf(rows)) await db.tables.insertAll('changes', chunk).execute();
}

/** Names records that were changed by numbers of their own, which `nextRev` gave without naming them. */
export function recordChanges(db: UserDatabase, changes: readonly NumberedRecord[]): Promise<void> {
  return insertChanges(
    db,
    changes.map((record) => ({ ...record, part: 0 })),
  );
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
