import { styleText } from 'node:util';

type Format = Parameters<typeof styleText>[0];

const columnsDefault = 80;

/** Columns of the terminal that standard output is; undefined where it is a file or a pipe, which have no end. */
export function terminalColumns(): number | undefined {
  const { isTTY, columns } = process.stdout;
  return isTTY ? columns || columnsDefault : undefined;
}

const depthPlain = 1;

/** The text in colour where standard output is a terminal that has colours, and NO_COLOR is not set. */
export function style(format: Format, text: string): string {
  const { stdout } = process;
  const hasColours = stdout.isTTY && stdout.getColorDepth() > depthPlain;
  // Which Node looks at the stream itself, and for which formats, differs from version to version.
  return hasColours ? styleText(format, text, { validateStream: false }) : text;
}

/** For people, next to a list: standard output has the list alone. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}
