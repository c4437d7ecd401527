import { note, style, terminalColumns } from './terminal.ts';
import { cutToWidth, printableLine, textWidth } from './text.ts';

export const print = (line: string) => void process.stdout.write(`${line}\n`);

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

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** A list as a table with headings, or as JSON. */
export function printList<T>({ columns, items, below, none, json }: ListOutput<T>): void {
  if (json !== undefined) printJson(json);
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

export interface Column<T> {
  readonly heading: string;
  readonly valueIn: (item: T) => string | number | null | undefined;
  readonly align?: 'right';
  /** Gets the rest of the terminal's width, and is cut there. At most one column of a table. */
  readonly isFlexible?: boolean;
  readonly format?: Parameters<typeof style>[0];
}

const gap = '  ';
const flexibleMin = 20;
const empty = '-';

/**
 * Lines of a table with headings: aligned columns, one line for each item. On a
 * terminal no line is wider than the screen; in a file or pipe nothing is cut.
 */
export function tableLines<T>(columns: readonly Column<T>[], items: readonly T[]): string[] {
  const cells = items.map((item) => columns.map(({ valueIn }) => cellOf(valueIn(item))));
  const widths = columns.map(({ heading }, i) =>
    Math.max(heading.length, ...cells.map((row) => textWidth(row[i] ?? ''))),
  );
  narrow(columns, widths);
  const heading = columns.map((column, i) => style('bold', fill(column.heading, widths[i] ?? 0, column)));
  const rows = cells.map((row) =>
    columns.map((column, i) => {
      const width = widths[i] ?? 0;
      const text = fill(cutToWidth(row[i] ?? '', width), width, column);
      return column.format === undefined ? text : style(column.format, text);
    }),
  );
  return [heading, ...rows].map((row) => row.join(gap).trimEnd());
}

function cellOf(value: string | number | null | undefined): string {
  const text = value === null || value === undefined ? '' : printableLine(String(value));
  return text === '' ? empty : text;
}

/** Narrows the flexible column if the table is wider than the terminal. */
function narrow<T>(columns: readonly Column<T>[], widths: number[]): void {
  const width = terminalColumns();
  const flexible = columns.findIndex(({ isFlexible }) => isFlexible);
  if (width === undefined || flexible < 0) return;
  const others = widths.reduce((sum, each, i) => sum + (i === flexible ? 0 : each + gap.length), 0);
  widths[flexible] = Math.min(widths[flexible] ?? 0, Math.max(flexibleMin, width - others));
}

function fill<T>(text: string, width: number, { align }: Column<T>): string {
  const space = ' '.repeat(Math.max(0, width - textWidth(text)));
  return align === 'right' ? space + text : text + space;
}
