import { type Column, tableLines } from './table.ts';
import { note } from './terminal.ts';

export type Print = (line: string) => void;

export interface ListOutput<T> {
  readonly columns: readonly Column<T>[];
  readonly items: readonly T[];
  /** What to say where there are none. */
  readonly none: string;
  /** Prints this as one JSON document instead; undefined: a table. */
  readonly json: unknown;
}

export function printJson(print: Print, value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** A list as a table with headings, or as JSON. */
export function printList<T>(print: Print, { columns, items, none, json }: ListOutput<T>): void {
  if (json !== undefined) printJson(print, json);
  else if (items.length === 0) note(none);
  else tableLines(columns, items).forEach(print);
}
