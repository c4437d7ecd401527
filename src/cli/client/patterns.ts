import { Command } from 'commander';
import type { Static } from 'typebox';
import type { InstructionsResponseSchema } from '../../http/routes/patterns/instructions.ts';
import type { PatternSchema } from '../../http/schemas/pattern.ts';
import { readText, share, wholeNumber } from '../options.ts';
import { showTime } from '../output/local-time.ts';
import { type Column, print, printJson } from '../output/print.ts';
import { note } from '../output/terminal.ts';
import { printableLine } from '../output/text.ts';
import { printTableWithin, withTokens } from '../output/within-tokens.ts';
import type { Listed } from './listing.ts';
import { type AskOptions, type PageOptions, pagedCommand, Service, serviceCommand } from './service.ts';

type PatternRecord = Static<typeof PatternSchema>;

interface ListOptions extends PageOptions {
  readonly tokens?: number;
}

interface DetectOptions extends AskOptions {
  readonly tokens?: number;
  readonly store?: true;
  readonly confidence?: number;
}

interface Detected {
  readonly data: { readonly detectedPatterns: readonly PatternRecord[]; readonly stored: number };
}

const patternsDefault = 50;
const columns: readonly Column<PatternRecord>[] = [
  { heading: 'TYPE', valueIn: ({ type }) => type, format: 'cyan' },
  { heading: 'CONFIDENCE', valueIn: ({ confidence }) => confidence.toFixed(2), align: 'right' },
  { heading: 'MEMORIES', valueIn: ({ occurrences }) => occurrences, align: 'right' },
  { heading: 'LAST SEEN', valueIn: ({ lastSeen }) => showTime(lastSeen), format: 'dim' },
  { heading: 'PATTERN', valueIn: ({ description }) => description, isFlexible: true },
];

/** `memoryd patterns` */
export function patternsCommand(): Command {
  return new Command('patterns')
    .addCommand(listCommand())
    .addCommand(detectCommand())
    .addCommand(instructionsCommand());
}

function listCommand(): Command {
  return withTokens(pagedCommand('list', patternsDefault))
    .description('list what was found and stored, the surest first')
    .action(async (options: ListOptions) => {
      const { limit, offset } = options;
      const listed = await new Service(options).get<Listed<PatternRecord>>('/api/patterns', {
        limit,
        offset,
      });
      const none = 'There are no patterns; `npx memoryd patterns detect --store` looks for some.';
      if (options.json) return printJson(listed);
      const { data: items, pagination } = listed;
      const next = offset + (await printTableWithin({ columns, items, none }, options.tokens));
      if (items.length > 0 && next < pagination.count)
        note(`--offset ${next} shows more of ${pagination.count}.`);
    });
}

function detectCommand(): Command {
  return withTokens(serviceCommand('detect'))
    .description('find what recurs in memories')
    .option('--store', 'stores what is found')
    .option('--confidence <share>', 'only those that are as sure as this', share)
    .action(async (options: DetectOptions) => {
      const { body } = await new Service(options).ask({
        path: '/api/patterns/detect',
        body: { autoStore: options.store ?? false, minConfidence: options.confidence },
      });
      if (options.json) {
        printJson(body);
        return;
      }
      const { detectedPatterns, stored } = (body as unknown as Detected).data;
      const found = { columns, items: detectedPatterns, none: 'Nothing recurs yet.' };
      await printTableWithin(found, options.tokens);
      if (options.store) note(`Stored ${stored}.`);
      else if (detectedPatterns.length > 0) note('Nothing was stored; --store stores them.');
    });
}

type InstructionsRecord = Static<typeof InstructionsResponseSchema>;

interface InstructionsOptions extends AskOptions {
  readonly tokens?: number;
}

const tokens = { min: 50, max: 2000, byDefault: 200 } as const;

/** `memoryd patterns instructions [QUERY]` */
export function instructionsCommand(): Command {
  return serviceCommand('instructions')
    .description('print stored patterns as instructions for an agent, the most important first')
    .argument('[query...]', 'what is about to be done; - reads standard input')
    .option(
      '--tokens <n>',
      `their length at most, in tokens (o200k; default: ${tokens.byDefault})`,
      wholeNumber(tokens.min, tokens.max),
    )
    .action(async (words: readonly string[], options: InstructionsOptions) => {
      const { body } = await new Service(options).ask({
        path: '/api/patterns/compile-instructions',
        body: {
          currentQuery: words.length === 0 ? undefined : await readText(words),
          tokenBudget: options.tokens,
        },
      });
      if (options.json) {
        printJson(body);
        return;
      }
      const { instructions, summary } = body as unknown as InstructionsRecord;
      for (const { instruction } of instructions) print(printableLine(instruction));
      if (instructions.length === 0) note(summary);
    });
}
