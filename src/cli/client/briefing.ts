import { type Command, Option } from 'commander';
import type { Static } from 'typebox';
import {
  digestFormats,
  digestProse,
  maxSourcesDefault,
  maxSourcesMax,
} from '../../briefing/digest/digest.ts';
import type { ContextResponseSchema } from '../../http/routes/briefing/context.ts';
import type { DigestRecord } from '../../http/routes/briefing/digest.ts';
import { readText, wholeNumber } from '../options.ts';
import { print, printJson } from '../output/print.ts';
import { note, style } from '../output/terminal.ts';
import { printable, printableLine } from '../output/text.ts';
import { shortId } from './listing.ts';
import { type AskOptions, collect, Service, serviceCommand } from './service.ts';

interface DigestOptions extends AskOptions {
  readonly format?: string;
  readonly tokens?: number;
  readonly sources?: number;
  readonly recent?: string;
  readonly topic?: readonly string[];
  readonly conversation?: readonly string[];
  readonly ids?: true;
  readonly prose?: string;
}

const digestTokens = { min: 50, max: 32_000, byDefault: 2000 } as const;

/** `memoryd digest QUERY` */
export function digestCommand(): Command {
  return serviceCommand('digest')
    .argument('<query...>', 'what the digest is about; - reads standard input')
    .addOption(new Option('--format <format>', 'its form (default: structured)').choices([...digestFormats]))
    .option(
      '--tokens <n>',
      `its length at most, in tokens (o200k; default: ${digestTokens.byDefault})`,
      wholeNumber(digestTokens.min, digestTokens.max),
    )
    .option(
      '--sources <n>',
      `memories that it is made of, at most (default: ${maxSourcesDefault})`,
      wholeNumber(1, maxSourcesMax),
    )
    .option('--recent <window>', 'only of what was written within this time: 30m, 24h, 7d, 2w')
    .option('--topic <name>', 'only of memories with this topic, or one of several', collect)
    .option('--conversation <id>', 'only of this conversation, or one of several', collect)
    .addOption(
      new Option('--prose <who>', 'llm: a narrative in the words of the LLM of the service').choices([
        ...digestProse,
      ]),
    )
    .option('--ids', 'lists the ids of the memories behind the numbers')
    .action(async (words: readonly string[], options: DigestOptions) => {
      const { format, recent, topic, conversation, ids, prose } = options;
      const { body } = await new Service(options).ask({
        path: '/api/memories/digest',
        body: {
          query: await readText(words),
          format,
          recent,
          topics: topic,
          conversationIds: conversation,
          maxSources: options.sources,
          tokenBudget: options.tokens,
          includeMemoryIds: ids,
          prose,
        },
      });
      if (options.json) printJson(body);
      else printDigest(body as unknown as DigestRecord);
    });
}

function printDigest({ digest, metadata }: DigestRecord): void {
  if (metadata.prose?.reason) note(`Word for word: ${metadata.prose.reason}`);
  for (const { name, reason } of metadata.branchFailures ?? [])
    note(`The ${name} part of the search failed (${reason}): the digest was made without it.`);
  print(printable(digest).trimEnd());
}

type ContextRecord = Static<typeof ContextResponseSchema>;

interface ContextOptions extends AskOptions {
  readonly file?: readonly string[];
  readonly hours?: number;
  readonly tokens?: number;
  readonly scope?: string;
}

const contextTokens = { min: 200, max: 32_000, byDefault: 4000 } as const;
const hours = { max: 720, byDefault: 24 } as const;

/** `memoryd context TEXT` */
export function contextCommand(): Command {
  return serviceCommand('context')
    .argument('<text...>', 'what is about to be worked on; - reads standard input')
    .option('--file <path>', 'a file to be touched; several times for several', collect)
    .option('--hours <n>', `of recent activity (default: ${hours.byDefault})`, wholeNumber(1, hours.max))
    .option(
      '--tokens <n>',
      `its length at most, in tokens (o200k; default: ${contextTokens.byDefault})`,
      wholeNumber(contextTokens.min, contextTokens.max),
    )
    .option('--scope <pairs>', 'only memories of this code context: product:shop,service:api')
    .action(async (words: readonly string[], options: ContextOptions) => {
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
      if (options.json) printJson(body);
      else printContext(body as unknown as ContextRecord);
    });
}

function printContext(context: ContextRecord): void {
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

/** Shorter than the JSON of the same sections, to which the token budget applies. */
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
