import type { KnownTerms } from '../sql/search-index/known-terms.ts';
import type { SqlDriver } from '../sql/sql-driver.ts';
import { PostgresKeywordWriter } from './keyword-index.ts';
import type { UserQueues } from './user-queues.ts';

/** Transactions of users with their keyword index; terms are cached as known only after the commit. */
export function indexedWrites(queues: UserQueues, known: KnownTerms): SqlDriver['writeOf'] {
  return async (userId, body) => {
    const writers: PostgresKeywordWriter[] = [];
    const result = await queues.run(userId, (tx, isActive) => {
      const keywords = new PostgresKeywordWriter(tx, userId, known);
      writers.push(keywords);
      return body(tx, keywords, () => isActive);
    });
    writers.at(-1)?.committed();
    return result;
  };
}
