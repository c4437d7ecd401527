import type { Compilable } from 'kysely';
import { UserQuery } from './user-query.ts';
import type { UserTables } from './user-tables.ts';

type ListArguments<V> = Readonly<Record<string, V>>;

/** Lists are filled up to the next power of two, so that a dozen compiled statements serve every length. */
function paddedLength(length: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(length, 1)));
}

/** The arguments for a statement from `listQuery`: the last value stands for the places that are left over. */
export function listArguments<V>(values: readonly V[]): ListArguments<V> {
  const padded: Record<string, V> = {};
  const last = values.length - 1;
  for (let i = 0; i < paddedLength(values.length); i++) padded[`v${i}`] = values[Math.min(i, last)];
  return padded;
}

/** A statement over a list of values, compiled once for each padded length. The list must not be empty. */
export function listQuery<V, R>(
  build: (tables: UserTables, values: readonly V[]) => Compilable<unknown>,
): (length: number) => UserQuery<ListArguments<V>, R> {
  const queries = new Map<number, UserQuery<ListArguments<V>, R>>();
  return (length) => {
    const padded = paddedLength(length);
    const known = queries.get(padded);
    if (known) return known;
    const query = new UserQuery<ListArguments<V>, R>((tables, args) =>
      build(
        tables,
        Array.from({ length: padded }, (_, i) => args[`v${i}`]),
      ),
    );
    queries.set(padded, query);
    return query;
  };
}
