import type { Compilable } from 'kysely';
import { UserQuery } from './user-query.ts';
import type { UserTables } from './user-tables.ts';

/**
 * Lists are padded to one of four lengths per doubling, so that some thirty compiled statements serve every
 * length up to 1,000, and about a twelfth of the passed values is padding.
 */
function paddedLength(length: number): number {
  const step = Math.max(1, 2 ** (Math.ceil(Math.log2(Math.max(length, 1))) - 3));
  return Math.max(1, Math.ceil(length / step) * step);
}

/** The arguments for a statement from `listQuery`, padded with the last value. */
export function listArguments<V>(values: readonly V[]): readonly V[] {
  const padded = values.slice();
  const length = paddedLength(values.length);
  while (padded.length < length) padded.push(values[values.length - 1]);
  return padded;
}

/** A statement over a list of values, compiled once for each padded length. The list must not be empty. */
export function listQuery<V, R>(
  build: (tables: UserTables, values: readonly V[]) => Compilable<R>,
): (length: number) => UserQuery<readonly V[], R> {
  const queries = new Map<number, UserQuery<readonly V[], R>>();
  return (length) => {
    const padded = paddedLength(length);
    const known = queries.get(padded);
    if (known) return known;
    const query = new UserQuery<readonly V[], R>((tables, args) =>
      build(
        tables,
        Array.from({ length: padded }, (_, i) => args[i]),
      ),
    );
    queries.set(padded, query);
    return query;
  };
}
