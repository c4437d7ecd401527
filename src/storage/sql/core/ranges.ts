import { otherWork } from '../../../lib/loop-time.ts';
import type { UserDatabase } from './user-database.ts';
import { UserQuery } from './user-query.ts';
import type { UserTables } from './user-tables.ts';

/** Numbers above `after`, up to `until`. */
export interface Range extends Record<string, unknown> {
  readonly after: number;
  readonly until: number;
}
type Step = UserQuery<{ after: number; skip: number }, { at: number }>;

/** Above every number of a store. */
const last = Number.MAX_SAFE_INTEGER;
/** Rows per range: counting in one takes a few milliseconds. */
const memoriesAtOnce = 1000;
const factsAtOnce = 1000;

const memoryAfter: Step = new UserQuery((tables, { after, skip }) =>
  tables
    .selectFrom('memories')
    .where('seq', '>', after)
    .orderBy('seq')
    .offset(skip)
    .limit(1)
    .select('seq as at'),
);

const factAfter: Step = new UserQuery((tables, { after, skip }) =>
  tables
    .selectFrom('facts')
    .where('doc', '>', after)
    .orderBy('doc')
    .offset(skip)
    .limit(1)
    .select('doc as at'),
);

/** Ranges of `seq` that cover all memories; other requests run between them. */
export const rangesOfMemories = (db: UserDatabase) => ranges(db, memoryAfter, memoriesAtOnce);

/** Ranges of `doc` that cover all facts; other requests run between them. */
export const rangesOfFacts = (db: UserDatabase) => ranges(db, factAfter, factsAtOnce);

/** Live memories whose `seq` is in a range. */
export const liveMemoriesIn = (tables: UserTables, { after, until }: Range) =>
  tables
    .selectFrom('memories')
    .where('memories.seq', '>', after)
    .where('memories.seq', '<=', until)
    .where(tables.liveMemory());

async function* ranges(db: UserDatabase, step: Step, size: number): AsyncGenerator<Range> {
  for (let after = -1; after < last; ) {
    const end: { at: number } | undefined = await db.first(step, { after, skip: size - 1 });
    const until = end?.at ?? last;
    yield { after, until };
    await otherWork();
    after = until;
  }
}
