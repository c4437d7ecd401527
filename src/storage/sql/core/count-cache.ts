import { LRUCache } from 'lru-cache';
import type { Count, Counts, UserDatabase } from './user-database.ts';
import { UserQuery } from './user-query.ts';

interface Head {
  readonly rev: number;
  readonly epoch: number;
}
interface Counted extends Head {
  readonly result: Promise<object>;
}

/** Members of what is kept in all, at most 200 bytes each; a list with more than these is counted each time. */
const membersMax = 200_000;

const head = new UserQuery<Record<never, never>, Head>((tables) =>
  tables.selectFrom('user_counters').select(['rev', 'epoch']),
);

/**
 * What was counted, kept as long as nothing of the user changed: every transaction that changes what is live, derived or
 * merged numbers itself in `user_counters`, whichever process it is of. The number is read before the rows are, so that
 * what is kept under it is at least as new.
 */
export class CountCache implements Counts {
  readonly #counted = new LRUCache<string, Counted>({ maxSize: membersMax });

  async get<T extends object>(db: UserDatabase, { name, of }: Count<T>): Promise<T> {
    const { rev, epoch } = (await db.first(head, {})) ?? { rev: 0, epoch: 0 };
    const key = `${db.userId} ${name}`;
    const known = this.#counted.get(key);
    // What is kept under a name is what the count of this name gave.
    if (known?.rev === rev && known.epoch === epoch) return known.result as Promise<T>;
    const result = of(db);
    const counted = { rev, epoch, result };
    this.#counted.set(key, counted, { size: 1 });
    const isCurrent = () => this.#counted.peek(key) === counted;
    try {
      const value = await result;
      if (isCurrent()) {
        // Set again as it is, it would keep the size that it had.
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
