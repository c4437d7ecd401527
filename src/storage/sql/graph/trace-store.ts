import { sql } from 'kysely';
import type { StoredTrace, TraceReader, TraceStore, TraceWriter } from '../../../domain/graph/graph-store.ts';
import { UserRecords } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import { UserTables } from '../core/user-tables.ts';
import type { SqlDriver } from '../sql-driver.ts';

const byId = new UserQuery((tables, { id }: { id: string }) =>
  tables.selectFrom('query_traces').where('id', '=', id).select(['id', 'created_at as createdAt', 'trace']),
);
const insertTrace = new UserQuery<{ id: string; createdAt: number; trace: string }, never>(
  (tables, { id, createdAt, trace }) =>
    tables.insertInto('query_traces', { id, created_at: createdAt, trace }),
);

export class SqlTraceReader extends UserRecords implements TraceReader {
  find(id: string): Promise<StoredTrace | undefined> {
    return this.db.first(byId, { id });
  }
}

export class SqlTraceWriter extends SqlTraceReader implements TraceWriter {
  async insert({ id, createdAt, trace }: StoredTrace): Promise<void> {
    await this.db.all(insertTrace, { id, createdAt, trace });
  }
}

export class SqlTraceStore implements TraceStore {
  readonly #deps: Pick<SqlDriver, 'read' | 'writeOf'>;

  constructor(deps: Pick<SqlDriver, 'read' | 'writeOf'>) {
    this.#deps = deps;
  }

  async prune(time: number, perUserMax: number): Promise<number> {
    const { read, writeOf } = this.#deps;
    const users = await read
      .selectFrom('query_traces')
      .select('user_id')
      .groupBy('user_id')
      .having((eb) =>
        eb.or([sql<boolean>`min(created_at) < ${time}`, sql<boolean>`count(*) > ${perUserMax}`]),
      )
      .execute();
    let removed = 0;
    for (const { user_id } of users) {
      const tables = new UserTables(read, user_id);
      const oldest = await tables
        .selectFrom('query_traces')
        .orderBy('created_at', 'desc')
        .offset(perUserMax)
        .limit(1)
        .select('created_at')
        .executeTakeFirst();
      const before = Math.max(time, (oldest?.created_at ?? -1) + 1);
      removed += await writeOf(user_id, async (db) => {
        const done = await new UserTables(db, user_id)
          .deleteFrom('query_traces')
          .where('created_at', '<', before)
          .executeTakeFirst();
        return Number(done.numDeletedRows);
      });
    }
    return removed;
  }
}
