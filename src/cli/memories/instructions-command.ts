import type { Command } from 'commander';
import type { Static } from 'typebox';
import type { InstructionsResponseSchema } from '../../http/routes/patterns/instructions.ts';
import { Service } from '../client/service.ts';
import { type AskOptions, serviceCommand } from '../client/service-options.ts';
import { type Print, printJson } from '../output/print-list.ts';
import { printableLine } from '../output/printable.ts';
import { note } from '../output/terminal.ts';
import { wholeNumber } from '../whole-number.ts';
import { readText } from './read-text.ts';

type InstructionsRecord = Static<typeof InstructionsResponseSchema>;

interface Options extends AskOptions {
  readonly tokens?: number;
}

const tokens = { min: 50, max: 2000, byDefault: 200 } as const;

/** `memoryd patterns instructions [QUERY]` */
export function instructionsCommand(print: Print): Command {
  return serviceCommand('instructions')
    .description('print stored patterns as instructions for an agent, the most important first')
    .argument('[query...]', 'what is about to be done; - reads standard input')
    .option(
      '--tokens <n>',
      `their length at most, in tokens (o200k; default: ${tokens.byDefault})`,
      wholeNumber(tokens.min, tokens.max),
    )
    .action(async (words: readonly string[], options: Options) => {
      const { body } = await new Service(options).ask({
        path: '/api/patterns/compile-instructions',
        body: {
          currentQuery: words.length === 0 ? undefined : await readText(words),
          tokenBudget: options.tokens,
        },
      });
      if (options.json) {
        printJson(print, body);
        return;
      }
      const { instructions, summary } = body as unknown as InstructionsRecord;
      for (const { instruction } of instructions) print(printableLine(instruction));
      if (instructions.length === 0) note(summary);
    });
}
