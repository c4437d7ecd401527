import type { Change, ChangePosition, ChangeReader } from '../../../domain/changes/change.ts';
import { UserRecords } from './user-database.ts';
import { UserQuery } from './user-query.ts';

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
