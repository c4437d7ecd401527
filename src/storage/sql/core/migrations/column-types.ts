/** Column types of migrations, as each engine writes them. */
export interface ColumnTypes {
  readonly text: string;
  readonly integer: string;
  readonly real: string;
  readonly bytes: string;
  /** Primary key that increments itself and never reuses a number. */
  readonly rowId: string;
  /** Owner of the row. */
  readonly user: string;
  /** Suffix for a table whose rows are kept in order of their key, if the engine can. */
  readonly clustered: string;
}
