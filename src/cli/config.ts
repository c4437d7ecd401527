import { Command } from 'commander';
import { describeConfig, loadConfig, type SettingLine } from '../config/load.ts';
import { print, printJson } from './output/print.ts';
import { style, terminalColumns } from './output/terminal.ts';
import { wrapText } from './output/text.ts';

const indent = '    ';
const widthMax = 100;

/** `memoryd config` */
export function configCommand(): Command {
  return new Command('config')
    .option('--json', 'print one JSON document')
    .action(({ json }: { json?: true }) => {
      const lines = describeConfig(loadConfig()).map(withoutMarkdown);
      if (json) printJson({ data: lines });
      else describe(lines).forEach(print);
    });
}

/** The sources of the descriptions are pages of docs. */
function withoutMarkdown(line: SettingLine): SettingLine {
  const plain = (text: string) => text.replaceAll(/\[[^\]]*\]\(([^)]*)\)/g, 'docs/$1').replaceAll('`', '');
  const { kind, description, defaultValue } = line;
  return {
    ...line,
    kind: plain(kind),
    description: plain(description),
    defaultValue: plain(defaultValue),
  };
}

function describe(lines: readonly SettingLine[]): string[] {
  const isSet = ({ source }: SettingLine) => source !== 'default';
  const set = lines.filter(isSet);
  return [
    style('bold', set.length === 0 ? 'Nothing is set: these are the defaults.' : 'Set:'),
    ...set.flatMap(describeOne),
    ...(set.length === 0 ? [] : ['', style('bold', 'As by default:')]),
    ...lines.filter((line) => !isSet(line)).flatMap(describeOne),
  ];
}

function describeOne({ variable, value, source, defaultValue, kind, description }: SettingLine): string[] {
  const from = source === '.env' ? 'from .env' : 'from the environment';
  const origin = source === 'default' ? '' : `  (${from}; default: ${defaultValue || 'none'})`;
  const text = `${description} Takes ${kind}.`;
  const explained = wrapText(text, Math.min(terminalColumns() ?? widthMax, widthMax) - indent.length);
  return [
    '',
    `${style('cyan', variable)}=${value}${style('dim', origin)}`,
    ...explained.map((line) => indent + line),
  ];
}
