/** Makes a row from the values of its columns. */
export type RowMaker = (values: unknown) => Record<string, unknown>;

const makersMax = 500;

/**
 * Functions that make rows, one for each list of columns. better-sqlite3 fills an object
 * property by property from C++. A loop over the names in JavaScript takes less than
 * half of that time; a literal compiled for the columns takes a tenth of the loop's.
 */
export class RowMakers {
  readonly #byColumns = new Map<string, RowMaker>();

  of(columns: readonly string[]): RowMaker {
    const key = JSON.stringify(columns);
    const known = this.#byColumns.get(key);
    if (known) return known;
    if (this.#byColumns.size >= makersMax) this.#byColumns.clear();
    const maker = makerOf(columns);
    this.#byColumns.set(key, maker);
    return maker;
  }
}

function makerOf(columns: readonly string[]): RowMaker {
  // A member called `__proto__` would set the prototype; a computed
  // name does not. Computing all names takes twice as long.
  const members = columns.map(
    (name, i) => `${name === '__proto__' ? '["__proto__"]' : JSON.stringify(name)}: values[${i}]`,
  );
  return new Function('values', `return { ${members.join(', ')} };`) as RowMaker;
}
