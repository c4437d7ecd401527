import type { Compilable, CompiledQuery, DialectAdapter, Kysely } from 'kysely';
import { executeCompiled } from './direct-execution.ts';
import type { Database } from './schema.ts';
import { UserTables } from './user-tables.ts';

/** Stands in a compiled statement for a value that is known only when it runs. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

type Args = Readonly<Record<string, unknown>>;
type Compiled = { readonly query: CompiledQuery; readonly slots: readonly (string | undefined)[] };

const ownerSlot = 'user_id';

/**
 * A statement over one user's tables, written once and compiled once per engine: building and compiling a query
 * costs Kysely about as long as SQLite needs to run it. `A` names its arguments, `R` is its row.
 */
export class UserQuery<A extends Args, R> {
  readonly #build: (tables: UserTables, args: A) => Compilable<unknown>;
  readonly #compiled = new WeakMap<DialectAdapter, Compiled>();

  constructor(build: (tables: UserTables, args: A) => Compilable<unknown>) {
    this.#build = build;
  }

  run(db: Kysely<Database>, userId: number, args: A): Promise<R[]> {
    const { query, slots } = this.#compiled.get(db.getExecutor().adapter) ?? this.#compile(db);
    const parameters = query.parameters.map((value, i) => {
      const slot = slots[i];
      if (slot === undefined) return value;
      return slot === ownerSlot ? userId : args[slot];
    });
    return executeCompiled<R>(db, { ...query, parameters });
  }

  #compile(db: Kysely<Database>): Compiled {
    const args = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) }) as A;
    const owner = new Placeholder(ownerSlot) as unknown as number;
    const query = this.#build(new UserTables(db, owner), args).compile();
    const slots = query.parameters.map((value) => (value instanceof Placeholder ? value.name : undefined));
    const compiled = { query, slots };
    this.#compiled.set(db.getExecutor().adapter, compiled);
    return compiled;
  }
}
