import type { Database, UserTable } from './schema.ts';
import { UserQuery } from './user-query.ts';
import type { UserRow } from './user-tables.ts';

type ColumnName = { [T in UserTable]: `${T}.${keyof UserRow<T> & string}` }[UserTable];
type Kind = 'plain' | 'flag' | 'json';
/** A column that holds a value as it is, a truth value as 0 or 1, or a value as JSON. */
type Column = ColumnName | { readonly flag: ColumnName } | { readonly json: ColumnName };

/** The column of each property of a record. */
export type Columns<R> = { readonly [P in keyof R]-?: Column };

type NameOf<C> = C extends string ? C : C[keyof C] & string;
type UnqualifiedName<N> = N extends `${string}.${infer Name}` ? Name : never;
type ValueOf<N> = N extends `${infer T extends UserTable}.${infer C}`
  ? Database[T][C & keyof Database[T]]
  : never;
type Selection<C> = { [P in keyof C & string]: `${NameOf<C[P]>} as ${P}` }[keyof C & string];

/** A selected row: the record, except for booleans and JSON. */
export type RowOf<C> = { -readonly [P in keyof C]: ValueOf<NameOf<C[P]>> };

/**
 * Describes a record by its columns, for selects, reads and writes. A row becomes the record
 * itself, because a loop that builds objects takes nine times as long as an object literal.
 */
export class RecordColumns<R extends object, C extends Columns<R>> {
  readonly columns: C;
  /** For a select: each column under the name of its property. */
  readonly selection: readonly Selection<C>[];
  readonly #list: readonly { property: keyof R; table: string; name: string; kind: Kind }[];
  readonly #flags: readonly (keyof R)[];
  readonly #json: readonly (keyof R)[];

  constructor(columns: C) {
    this.columns = columns;
    this.#list = Object.entries<Column>(columns).map(([property, column]) => {
      const [kind, full] = typeof column === 'string' ? ['plain', column] : Object.entries(column)[0];
      const [table, name] = full.split('.');
      return { property: property as keyof R, table, name, kind: kind as Kind };
    });
    this.selection = this.#list.map(
      ({ property, table, name }) => `${table}.${name} as ${String(property)}` as Selection<C>,
    );
    const ofKind = (kind: Kind) => this.#list.filter((column) => column.kind === kind);
    this.#flags = ofKind('flag').map(({ property }) => property);
    this.#json = ofKind('json').map(({ property }) => property);
  }

  /** Turns a selected row into its record, in place. */
  decode(row: RowOf<C>): R {
    const record = row as unknown as Record<keyof R, unknown>;
    for (const property of this.#flags) record[property] = record[property] === 1;
    for (const property of this.#json) record[property] = fromJson(record[property] as string | null);
    return record as R;
  }

  /** The record of a row whose members are named by their columns. */
  ofTableRow(row: Readonly<Record<string, unknown>>): R {
    const selected = Object.fromEntries(this.#list.map(({ property, name }) => [property, row[name]]));
    return this.decode(selected as RowOf<C>);
  }

  /** Names of the columns in a table. */
  namesIn(table: UserTable): string[] {
    return this.#list.filter((column) => column.table === table).map(({ name }) => name);
  }

  /** The stored values of all columns by name, for a record of one table. */
  toTableRow(record: R): { [N in NameOf<C[keyof C]> as UnqualifiedName<N>]: ValueOf<N> } {
    const values = this.#list.map(({ name, kind, property }) => [name, stored(kind, record[property])]);
    return Object.fromEntries(values);
  }

  /** The stored values of the columns in a table, in the order of `namesIn`. */
  valuesIn(table: UserTable, record: R): unknown[] {
    const values: unknown[] = [];
    for (const column of this.#list)
      if (column.table === table) values.push(stored(column.kind, record[column.property]));
    return values;
  }
}

/** A statement that inserts a row; its arguments are the values of these columns. */
export const insertion = (table: UserTable, columns: readonly string[]) =>
  new UserQuery<readonly unknown[], never>((tables, values) =>
    tables.insertInto(table, Object.fromEntries(columns.map((name, i) => [name, values[i]])) as never),
  );

/** Most lists are empty. */
const fromJson = (text: string | null): unknown =>
  text === null ? null : text === '[]' ? [] : JSON.parse(text);

function stored(kind: Kind, value: unknown): unknown {
  if (kind === 'flag') return value ? 1 : 0;
  return kind === 'plain' || value === null ? value : JSON.stringify(value);
}
