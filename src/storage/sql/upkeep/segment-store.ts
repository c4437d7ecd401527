import { type Kysely, sql } from 'kysely';
import type {
  SegmentChange,
  SegmentRef,
  SegmentStore,
  SegmentsDone,
  ServingSpaces,
} from '../../../search-index/ports.ts';
import type { Database } from '../core/schema.ts';
import { UserDatabase } from '../core/user-database.ts';
import { readHead, servingSpace } from '../search-index/index-rows.ts';
import { dropSegments, SqlSegmentRows } from '../search-index/segment-rows.ts';
import type { SqlDriver } from '../sql-driver.ts';
import { usersWith } from '../users/users-with.ts';

export class SqlSegmentStore implements SegmentStore {
  readonly #deps: Pick<SqlDriver, 'read' | 'writeOf' | 'isDistributed'>;

  constructor(deps: Pick<SqlDriver, 'read' | 'writeOf' | 'isDistributed'>) {
    this.#deps = deps;
  }

  async behind(changes: number, ofSpaces: (serving: ServingSpaces) => string): Promise<number | undefined> {
    const { read, isDistributed } = this.#deps;
    const of = ofSpaces(await readServing(read));
    const condition = sql`rev >= ${changes} AND (rev - segments_rev >= ${changes} OR segments_of <> ${of})`;
    // Changes of a user who is being loaded, whom this leaves out, are not in order of their numbers.
    const bounds = { after: 0, limit: 1, isDistributed };
    return (await usersWith(read, { table: 'user_counters', condition, ...bounds })).at(0);
  }

  change(userId: number, change: SegmentChange): Promise<boolean> {
    const { epoch, space, last, removed, added, extendedTo } = change;
    return this.#deps.writeOf(userId, async (handle, _, isActive) => {
      const db = new UserDatabase(handle, userId);
      if (!isActive() || (await readHead(db)).epoch !== epoch) return false;
      await db.tables.deleteFrom('index_segments').where('epoch', '!=', epoch).execute();
      const own = (await new SqlSegmentRows(db).list(epoch)).filter((segment) => segment.space === space);
      if (!isSame(own.at(-1), last)) return false;
      const changed = db.tables.deleteFrom('index_segments').where('space', '=', space);
      for (const { number } of removed) await changed.where('number', '=', number).execute();
      if (added) {
        const { data, segment } = added;
        await db.tables.insertInto('index_segments', { ...toRow(segment), epoch, data }).execute();
      }
      if (last && extendedTo !== undefined)
        await db.tables
          .updateTable('index_segments')
          .set({ last_rev: extendedTo, whole: space === 0 ? 1 : 0 })
          .where('space', '=', space)
          .where('number', '=', last.number)
          .execute();
      return true;
    });
  }

  done(userId: number, { epoch, rev, of, spaces }: SegmentsDone): Promise<void> {
    return this.#deps.writeOf(userId, async (handle) => {
      const db = new UserDatabase(handle, userId);
      await db.tables.deleteFrom('index_segments').where('space', 'not in', spaces).execute();
      await db.tables
        .updateTable('user_counters')
        .set({ segments_rev: rev, segments_of: of })
        .where('epoch', '=', epoch)
        .execute();
    });
  }

  drop(userId: number): Promise<void> {
    return this.#deps.writeOf(userId, (handle) => dropSegments(new UserDatabase(handle, userId)));
  }
}

function isSame(a: SegmentRef | undefined, b: SegmentRef | undefined): boolean {
  return a?.number === b?.number && a?.lastRev === b?.lastRev;
}

function toRow({ space, number, lastRev, lastDoc, lastPart, whole, entries, added }: SegmentRef) {
  return {
    space,
    number,
    last_rev: lastRev,
    last_doc: lastDoc,
    last_part: lastPart,
    whole,
    entries,
    added,
  };
}

async function readServing(db: Kysely<Database>): Promise<ServingSpaces> {
  const { rows } = await sql<ServingSpaces>`SELECT
    ${servingSpace('main')} AS space, ${servingSpace('second')} AS second`.execute(db);
  return rows[0] ?? { space: 0, second: 0 };
}
