import { type Command, Option } from 'commander';
import { loadTokenCounter } from '../../briefing/text/tokens.ts';
import { wholeNumber } from '../options.ts';
import { type ListOutput, printList, tableLines } from './print.ts';
import { note } from './terminal.ts';

const tokens = { min: 50, max: 32_000 } as const;

/**
 * Adds the option `--tokens` to a command that prints a
 * table. JSON is never cut, so the two exclude each other.
 */
export const withTokens = (command: Command): Command =>
  command.addOption(
    new Option('--tokens <n>', 'the length of the table at most, in tokens (o200k): its first rows')
      .argParser(wholeNumber(tokens.min, tokens.max))
      .conflicts('json'),
  );

/** A table of the first items that it has room for within the tokens. @returns how many it shows */
export async function printTableWithin<T>(
  list: Omit<ListOutput<T>, 'json' | 'below'>,
  most: number | undefined,
): Promise<number> {
  const { items } = list;
  const shown = most === undefined ? items.length : await fitting(list, most);
  if (shown > 0 || items.length === 0) printList({ ...list, items: items.slice(0, shown), json: undefined });
  if (shown < items.length) note(`${shown} of ${items.length} within ${most} tokens.`);
  return shown;
}

async function fitting<T>(
  { columns, items }: Pick<ListOutput<T>, 'columns' | 'items'>,
  most: number,
): Promise<number> {
  const count = await loadTokenCounter();
  const lengthOf = (lines: readonly string[]) => count(lines.map((line) => `${line}\n`).join(''));
  const lines = tableLines(columns, items);
  let used = 0;
  let shown = lines.findIndex((line) => {
    used += lengthOf([line]);
    return used > most;
  });
  shown = shown < 0 ? items.length : Math.max(0, shown - 1);
  // Fewer rows can make other widths, and so other tokens.
  while (shown > 0 && lengthOf(tableLines(columns, items.slice(0, shown))) > most) shown--;
  return shown;
}
