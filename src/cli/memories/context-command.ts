import type { Command } from 'commander';
import type { Static } from 'typebox';
import type { ContextResponseSchema } from '../../http/routes/briefing/context.ts';
import { Service } from '../client/service.ts';
import { type AskOptions, collect, serviceCommand } from '../client/service-options.ts';
import { type Print, printJson } from '../output/print-list.ts';
import { printableLine } from '../output/printable.ts';
import { note, style } from '../output/terminal.ts';
import { wholeNumber } from '../whole-number.ts';
import { shortId } from './memory-table.ts';
import { readText } from './read-text.ts';

type ContextRecord = Static<typeof ContextResponseSchema>;

interface Options extends AskOptions {
  readonly file?: readonly string[];
  readonly hours?: number;
  readonly tokens?: number;
  readonly scope?: string;
}

const tokens = { min: 200, max: 32_000, byDefault: 4000 } as const;
const hours = { max: 720, byDefault: 24 } as const;

/** `memoryd context TEXT` */
export function contextCommand(print: Print): Command {
  return serviceCommand('context')
    .argument('<text...>', 'what is about to be worked on; - reads standard input')
    .option('--file <path>', 'a file to be touched; several times for several', collect)
    .option('--hours <n>', `of recent activity (default: ${hours.byDefault})`, wholeNumber(1, hours.max))
    .option(
      '--tokens <n>',
      `its length at most, in tokens (o200k; default: ${tokens.byDefault})`,
      wholeNumber(tokens.min, tokens.max),
    )
    .option('--scope <pairs>', 'only memories of this code context: product:shop,service:api')
    .action(async (words: readonly string[], options: Options) => {
      const { body } = await new Service(options).ask({
        path: '/api/memories/build-context',
        body: {
          context: await readText(words),
          files: options.file,
          recentHours: options.hours,
          tokenBudget: options.tokens,
          scope: options.scope,
        },
      });
      if (options.json) printJson(print, body);
      else printContext(print, body as unknown as ContextRecord);
    });
}

function printContext(print: Print, context: ContextRecord): void {
  const { timedOutSections = [], failedSections = [] } = context.meta;
  for (const name of timedOutSections) note(`The section ${name} took too long and is missing.`);
  for (const name of failedSections)
    note(`The section ${name} failed and is missing; the log of the service says why.`);
  const sections = sectionsOf(context).filter(({ lines }) => lines.length > 0);
  if (sections.length === 0) note('Nothing is known about it.');
  for (const [i, { title, lines }] of sections.entries()) {
    if (i > 0) print('');
    print(style('bold', `## ${title}`));
    for (const line of lines) print(`- ${line}`);
  }
}

/** Shorter than the JSON of the same sections, which is what the token budget is for. */
function sectionsOf(context: ContextRecord): { readonly title: string; readonly lines: readonly string[] }[] {
  const { activeWork, relevantMemories, relevantFacts, gotchas, recentActivity, relatedPatterns } = context;
  const dated = (date: string, text: string, id: string) =>
    `${date.slice(0, 10)} ${printableLine(text)} (${shortId(id)})`;
  return [
    {
      title: 'Active work',
      lines: activeWork
        ? [
            `${activeWork.title === null ? '' : `${printableLine(activeWork.title)}: `}` +
              dated(activeWork.lastActivity, activeWork.lastMemory.summary, activeWork.lastMemory.id),
          ]
        : [],
    },
    {
      title: 'Gotchas',
      lines: gotchas.map(({ fact, sourceCount }) => `${printableLine(fact)} (${sourceCount} memories)`),
    },
    { title: 'Memories', lines: relevantMemories.map(({ id, content, date }) => dated(date, content, id)) },
    {
      title: 'Facts',
      lines: relevantFacts.map(({ subject, predicate, object }) =>
        printableLine(`${subject} ${predicate} ${object}`),
      ),
    },
    {
      title: 'Recent activity',
      lines: recentActivity.map(({ id, summary, date }) => dated(date, summary, id)),
    },
    { title: 'Patterns', lines: relatedPatterns.map(({ pattern }) => printableLine(pattern)) },
  ];
}
