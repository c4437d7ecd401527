import { type Compilable, CompiledQuery, type DialectAdapter, type Kysely } from 'kysely';
import { pauseAfter } from '../../../lib/loop-time.ts';
import { sameOwner } from './joins.ts';
import type { Database } from './schema.ts';
import { UserTables } from './user-tables.ts';

/** Named arguments, or the members of a list. */
type Args = object;
type Slot = string | number;

/**
 * Text and values of a statement, without the nodes from which it was compiled and without
 * placeholders: some 500 statements, of lists of up to 512 members, kept 18,890 of these.
 */
interface Compiled {
  readonly sql: string;
  /** Each value of the statement itself, or the argument that takes its place. */
  readonly values: readonly { readonly slot: Slot | undefined; readonly own: unknown }[];
}

const ownerSlot = 'user_id';
const hidesSlot = 'hides';

/**
 * A statement over one user's tables, written once and compiled once per engine: building and compiling
 * a query costs Kysely about as long as SQLite needs to run it. `A`, its arguments, and
 * `R`, its row, follow from the builder.
 *
 * The builder runs before any value is known: it gets placeholders, which it may only pass on to the
 * statement. Computing with one, reading its properties, listing the arguments or deciding by one throws at
 * the first run. To decide by a value, choose between two queries; to compute, do it in the arguments or in
 * SQL. A decision by a value other than 0, 1, '', true, null and those of the first run is not detected.
 */
export class UserQuery<A extends Args, R> {
  readonly #build: (tables: UserTables, args: A) => Compilable<R>;
  readonly #compiled = new WeakMap<DialectAdapter, Compiled>();

  constructor(build: (tables: UserTables, args: A) => Compilable<R>) {
    this.#build = build;
  }

  /**
   * @throws PlaceholderMisuseError if the builder does more
   * than pass arguments on, or if an argument is undefined
   */
  run(
    db: Kysely<Database>,
    scope: { readonly userId: number; readonly hides: number },
    args: A,
  ): Promise<R[]> {
    const { sql, values } = this.#compiled.get(db.getExecutor().adapter) ?? this.#compile(db, args);
    const parameters = values.map(({ slot, own }) => {
      if (slot === undefined) return own;
      if (slot === ownerSlot) return scope.userId;
      if (slot === hidesSlot) return scope.hides;
      const argument = (args as Readonly<Record<Slot, unknown>>)[slot];
      if (argument === undefined) throw new PlaceholderMisuseError(`The argument ${slot} is undefined`);
      return argument;
    });
    return executeCompiled<R>(db, sql, parameters);
  }

  #compile(db: Kysely<Database>, args: A): Compiled {
    const query = this.#buildWith(db, placeholder);
    const firstRun = (name: string) => (args as Readonly<Record<string, unknown>>)[name];
    for (const given of [...probeValues.map((probe) => () => probe), firstRun]) {
      if (!isSame(query, this.#buildWith(db, given), given))
        throw new PlaceholderMisuseError('An argument was tested for truth or compared');
    }
    const compiled = { sql: query.sql, values: query.parameters.map(toValue) };
    this.#compiled.set(db.getExecutor().adapter, compiled);
    return compiled;
  }

  #buildWith(db: Kysely<Database>, given: (name: string) => unknown): CompiledQuery {
    const owner = placeholder(ownerSlot) as number;
    const hides = placeholder(hidesSlot) as number;
    return this.#build(new UserTables(db, owner, hides), argumentsOf<A>(given)).compile();
  }
}

/** Members of a list are looked up by number: making a name for each of 200 values took 39 us. */
function toValue(value: unknown): Compiled['values'][number] {
  const name = slotOf(value);
  if (name === undefined) return { slot: undefined, own: value };
  return { slot: /^\d+$/.test(name) ? Number(name) : name, own: undefined };
}

/** Whether a statement built with the values of `given` is the one built with placeholders. */
function isSame(query: CompiledQuery, built: CompiledQuery, given: (name: string) => unknown): boolean {
  if (built.sql !== query.sql) return false;
  return built.parameters.every((value, i) => {
    const slot = slotOf(query.parameters[i]);
    if (slot === undefined) return value === query.parameters[i];
    return slotOf(value) === slot || value === given(slot);
  });
}

const slotName = Symbol('slot');

/** Stands in a compiled statement for a value that is known only at the run. It can only be passed on. */
interface Placeholder {
  readonly [slotName]: string;
}

/** A builder used an argument in a way that cannot be compiled once for all values. */
class PlaceholderMisuseError extends TypeError {
  constructor(what: string) {
    super(
      `${what}: the builder of a UserQuery runs once, before the values are known. Pass its arguments to the statement as they are, and compute or decide outside.`,
    );
    this.name = 'PlaceholderMisuseError';
  }
}

/** Stands for the argument `name`; reading a property of it, calling it or computing with it throws. */
function placeholder(name: string): unknown {
  return new Proxy(Object.freeze({ [slotName]: name }), {
    get(target, property) {
      if (property === slotName) return target[slotName];
      // Kysely asks every value whether it is an expression.
      if (property === 'toOperationNode') return undefined;
      if (property === Symbol.toPrimitive) {
        return () => {
          throw new PlaceholderMisuseError(`The argument ${name} was computed with or made a text`);
        };
      }
      throw new PlaceholderMisuseError(`${String(property)} of the argument ${name} was read`);
    },
  });
}

/** The name of the argument behind a parameter; undefined for a value of the statement itself. */
function slotOf(value: unknown): string | undefined {
  if (value === sameOwner) return ownerSlot;
  if (typeof value !== 'object' || value === null || !(slotName in value)) return undefined;
  return (value as Placeholder)[slotName];
}

/** Arguments by any name that the builder reads. Their names are unknown, so they cannot be listed. */
function argumentsOf<A>(given: (name: string) => unknown): A {
  const refuse = () => {
    throw new PlaceholderMisuseError('The arguments were listed or spread');
  };
  return new Proxy({}, { get: (_, name) => given(String(name)), has: refuse, ownKeys: refuse }) as A;
}

/**
 * Values with which a builder must make the same statement as with placeholders.
 * JavaScript cannot detect that a value is tested for truth or compared, but a
 * builder that does so makes another statement for at least one of these.
 */
const probeValues: readonly unknown[] = [0, 1, '', true, null];

/** Runs a statement and returns its rows. */
type Execute = <R>(sql: string, parameters: readonly unknown[]) => R[] | Promise<R[]>;

const direct = new WeakMap<Kysely<Database>, { readonly execute: Execute; readonly isPipelined: boolean }>();

/**
 * Registers a way past Kysely's executor for a database of one connection and no plugin, which
 * needs nothing from it: passing the connection on cost more than most statements of SQLite.
 * @param isPipelined whether statements run in the order in which they are sent, before the answers to those before them
 */
export function executeDirectly(
  db: Kysely<Database>,
  execute: Execute,
  { isPipelined }: { readonly isPipelined: boolean } = { isPipelined: false },
): void {
  direct.set(db, { execute, isPipelined });
}

/** Whether a statement need not wait for the answers to those before it; see `executeDirectly`. */
export const isPipelined = (db: Kysely<Database>) => direct.get(db)?.isPipelined ?? false;

/**
 * Runs a statement. On an engine that returns rows synchronously, yields first if this turn
 * of the event loop has taken long: many statements in a row would block the loop.
 */
export async function executeCompiled<R>(
  db: Kysely<Database>,
  sql: string,
  parameters: readonly unknown[],
): Promise<R[]> {
  const way = direct.get(db);
  if (way) {
    // Statements of a pipelined transaction must be sent in order, and each waits for its answer anyway.
    const pause = way.isPipelined ? undefined : pauseAfter();
    if (pause) await pause;
    return way.execute<R>(sql, parameters);
  }
  return (await db.executeQuery<R>(CompiledQuery.raw(sql, parameters as unknown[]) as CompiledQuery<R>)).rows;
}
