import { sql } from 'kysely';
import type { SegmentReader, SegmentRef } from '../../../search-index/ports.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';

const segmentColumns = [
  'space',
  'number',
  'last_rev as lastRev',
  'last_doc as lastDoc',
  'last_part as lastPart',
  'whole',
  'entries',
  'added',
] as const;

const segments = new UserQuery<{ epoch: number }, SegmentRef>((tables, { epoch }) =>
  tables
    .selectFrom('index_segments')
    .select(segmentColumns)
    .where('epoch', '=', epoch)
    .orderBy('space')
    .orderBy('number'),
);

const segmentData = new UserQuery<{ space: number; number: number; lastRev: number }, { data: Buffer }>(
  (tables, { space, number, lastRev }) =>
    tables
      .selectFrom('index_segments')
      .select('data')
      .where('space', '=', space)
      .where('number', '=', number)
      // A segment that was merged with others has another `last_rev`.
      .where('last_rev', '=', lastRev),
);

export class SqlSegmentRows implements SegmentReader {
  readonly #db: UserDatabase;

  constructor(db: UserDatabase) {
    this.#db = db;
  }

  list(epoch: number): Promise<SegmentRef[]> {
    return this.#db.all(segments, { epoch });
  }

  async data({
    space,
    number,
    lastRev,
  }: Pick<SegmentRef, 'space' | 'number' | 'lastRev'>): Promise<Buffer | undefined> {
    return (await this.#db.first(segmentData, { space, number, lastRev }))?.data;
  }
}

/** Deletes the user's segments at an erase, since they contain erased names. */
export async function dropSegments(db: UserDatabase): Promise<void> {
  await db.tables.deleteFrom('index_segments').execute();
  await db.tables
    .updateTable('user_counters')
    .set({ segments_rev: sql.lit(0) })
    .execute();
}
