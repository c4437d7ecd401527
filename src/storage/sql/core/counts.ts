import { LRUCache } from 'lru-cache';
import { otherWork } from '../../../lib/loop-time.ts';
import type { Count, Counts, UserDatabase } from './user-database.ts';
import { UserQuery } from './user-query.ts';
import type { UserTables } from './user-tables.ts';

interface Head {
  readonly rev: number;
  readonly epoch: number;
}
interface Counted extends Head {
  readonly result: Promise<object>;
}

/** Maximum members of all cached counts, each at most 200 bytes; a list with more is counted each time. */
const membersMax = 200_000;

const head = new UserQuery<Record<never, never>, Head>((tables) =>
  tables.selectFrom('user_counters').select(['rev', 'epoch']),
);

/**
 * Counts, cached until something of the user changes: every transaction that changes live,
 * derived or merged records raises `rev` in `user_counters`, in whichever process. `rev` is read
 * before the rows, so that a count is at least as new as the `rev` that it is cached under.
 */
export class CountCache implements Counts {
  readonly #counted = new LRUCache<string, Counted>({ maxSize: membersMax });

  async get<T extends object>(db: UserDatabase, { name, of }: Count<T>): Promise<T> {
    const { rev, epoch } = (await db.first(head, {})) ?? { rev: 0, epoch: 0 };
    const key = `${db.userId} ${name}`;
    const known = this.#counted.get(key);
    // Each result has the name of its count.
    if (known?.rev === rev && known.epoch === epoch) return known.result as Promise<T>;
    const result = of(db);
    const counted = { rev, epoch, result };
    this.#counted.set(key, counted, { size: 1 });
    const isCurrent = () => this.#counted.peek(key) === counted;
    try {
      const value = await result;
      if (isCurrent()) {
        // Replacing the same object would keep its former size.
        this.#counted.delete(key);
        this.#counted.set(key, counted, { size: membersOf(value) });
      }
      return value;
    } catch (error) {
      if (isCurrent()) this.#counted.delete(key);
      throw error;
    }
  }
}

function membersOf(value: object): number {
  if (Array.isArray(value)) return value.length + 1;
  return value instanceof Map ? value.size + 1 : 1;
}

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
