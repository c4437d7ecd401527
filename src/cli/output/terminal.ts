import { styleText } from 'node:util';

type Format = Parameters<typeof styleText>[0];

const columnsDefault = 80;

/** Width of the terminal on standard output; undefined for a file or a pipe, which have no width. */
export function terminalColumns(): number | undefined {
  const { isTTY, columns } = process.stdout;
  return isTTY ? columns || columnsDefault : undefined;
}

const depthPlain = 1;

/** The text in colour if standard output is a terminal with colours and NO_COLOR is not set. */
export function style(format: Format, text: string): string {
  const { stdout } = process;
  const hasColours = stdout.isTTY && stdout.getColorDepth() > depthPlain;
  // Node versions differ in which formats make `styleText` check the stream itself.
  return hasColours ? styleText(format, text, { validateStream: false }) : text;
}

/** A note for people: standard output contains the list only. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}
