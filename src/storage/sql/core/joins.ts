import type { CompiledQuery, ExpressionBuilder, SelectQueryBuilder } from 'kysely';
import type { Database, UserTable } from './schema.ts';

/**
 * The tables that a statement reads. The types of Kysely's builders contain no others, so that only
 * `join` and `related` add a table: the one place in which rows of two tables are matched by their user.
 */
export type Reads<T extends UserTable> = Pick<Database, T>;

type Empty = Record<never, never>;
/** `table` or `table as alias`. */
type Named = UserTable | `${UserTable} as ${string}`;
type TableOf<N extends Named> = N extends UserTable
  ? N
  : N extends `${infer T extends UserTable} as ${string}`
    ? T
    : never;
type AliasOf<N extends Named> = N extends UserTable ? N : N extends `${string} as ${infer A}` ? A : never;
type ColumnOf<N extends Named> = Exclude<keyof Database[TableOf<N>], 'user_id'> & string;
/** `DB` with the table under its alias. */
type With<DB, N extends Named> = DB & { [A in AliasOf<N>]: Database[TableOf<N>] };

type Reference = `${string}.${string}`;
/** The shape that a database must have for `R` to be a column of a user's table in it. */
type Having<R extends Reference> = R extends `${infer T}.${infer C}`
  ? { [t in T]: { readonly user_id: number } & { readonly [c in C]: unknown } }
  : never;

/** The condition of a match, in Kysely's terms: the names of two columns each. */
interface Match {
  readonly user: readonly [string, string];
  readonly column: readonly [string, string];
}

const aliasOf = (named: Named) => named.split(' as ').at(-1) ?? named;

function matchOf(named: Named, outer: Reference, column: string): Match {
  const alias = aliasOf(named);
  return {
    user: [`${alias}.user_id`, `${outer.split('.')[0]}.user_id`],
    column: [`${alias}.${column}`, outer],
  };
}

/** The user of a statement, as its condition names it until the statement is compiled. */
export class Owner {
  readonly id: number;

  constructor(id: number) {
    this.id = id;
  }
}

/** In a subquery: the user of the statement that it is part of. */
export const sameOwner = Object.freeze({ isOwnerOfStatement: true });

/**
 * Puts the user's id for `Owner` and `sameOwner`. Without an `Owner`, as where placeholders stand for values, all stays.
 * @throws Error if a statement has two users
 */
export function namingOwner(compiled: CompiledQuery): CompiledQuery {
  const owners = compiled.parameters.filter((value) => value instanceof Owner);
  if (owners.length === 0) return compiled;
  const [{ id }] = owners;
  if (owners.some((other) => other.id !== id)) throw new Error('A statement has two users.');
  const isOwner = (value: unknown) => value === sameOwner || value instanceof Owner;
  return { ...compiled, parameters: compiled.parameters.map((value) => (isOwner(value) ? id : value)) };
}

type AnyQuery = SelectQueryBuilder<Database, UserTable, Empty>;
type AnyReference = 'memories.id';

function joined(query: unknown, named: Named, { user, column }: Match): unknown {
  return (query as AnyQuery).innerJoin(named as 'memories', (on) =>
    on
      .onRef(user[0] as AnyReference, '=', user[1] as AnyReference)
      .onRef(column[0] as AnyReference, '=', column[1] as AnyReference),
  );
}

/**
 * Joins the rows of the same user whose `column` equals `outer`, a column that the statement reads already:
 * `.$call(join('memories', 'memory_topics.memory_id'))`.
 */
export function join<N extends Named, R extends Reference>(
  named: N,
  outer: R,
  column: ColumnOf<N> | 'id' = 'id',
) {
  return <DB extends Having<R>, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>) =>
    joined(query, named, matchOf(named, outer, column)) as SelectQueryBuilder<
      With<DB, N>,
      TB | AliasOf<N>,
      O
    >;
}

/**
 * A subquery over the rows of the same user whose `column` equals `outer`, a column of the outer statement. Names the user
 * itself: that the outer row is of the same one tells a planner nothing where tables are split by user.
 */
export function related<
  DB extends Having<R>,
  TB extends keyof DB,
  const N extends Named,
  const R extends Reference,
>(eb: ExpressionBuilder<DB, TB>, named: N, outer: R, column: ColumnOf<N> | 'id' = 'id') {
  const match = matchOf(named, outer, column);
  const query = (eb as unknown as ExpressionBuilder<Database, UserTable>).selectFrom(named as 'memories');
  return query
    .where(match.user[0] as AnyReference, '=', sameOwner as unknown as string)
    .whereRef(
      match.column[0] as AnyReference,
      '=',
      match.column[1] as AnyReference,
    ) as unknown as SelectQueryBuilder<With<DB, N>, TB | AliasOf<N>, Empty>;
}
