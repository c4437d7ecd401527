/** How each engine writes the column types that migrations use. */
export interface ColumnTypes {
  readonly text: string;
  readonly integer: string;
  readonly real: string;
  readonly bytes: string;
  /** Primary key that numbers itself and never reuses a number. */
  readonly rowId: string;
  /** Owner of the row. */
  readonly user: string;
  /** Behind the columns of a table whose rows are kept in order of their key, where the engine can. */
  readonly clustered: string;
}
