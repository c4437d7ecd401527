import { printableLine } from './printable.ts';
import { type Column, tableLines } from './table.ts';
import { note, style } from './terminal.ts';

export type Print = (line: string) => void;

export interface ListOutput<T> {
  readonly columns: readonly Column<T>[];
  readonly items: readonly T[];
  /** A text for the line below an item. */
  readonly below?: (item: T) => string | undefined;
  /** Text for an empty list. */
  readonly none: string;
  /** Prints this as one JSON document instead; undefined: a table. */
  readonly json: unknown;
}

export function printJson(print: Print, value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** A list as a table with headings, or as JSON. */
export function printList<T>(print: Print, { columns, items, below, none, json }: ListOutput<T>): void {
  if (json !== undefined) printJson(print, json);
  else if (items.length === 0) note(none);
  else {
    const [heading, ...rows] = tableLines(columns, items);
    print(heading);
    for (const [i, row] of rows.entries()) {
      print(row);
      const text = below?.(items[i]);
      if (text !== undefined) print(indent + style('dim', printableLine(text)));
    }
  }
}

const indent = '          ';
