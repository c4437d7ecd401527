import { type Command, Option } from 'commander';
import {
  digestFormats,
  digestProse,
  maxSourcesDefault,
  maxSourcesMax,
} from '../../briefing/digest/digest.ts';
import type { DigestRecord } from '../../http/routes/briefing/digest.ts';
import { Service } from '../client/service.ts';
import { type AskOptions, collect, serviceCommand } from '../client/service-options.ts';
import { type Print, printJson } from '../output/print-list.ts';
import { printable } from '../output/printable.ts';
import { note } from '../output/terminal.ts';
import { wholeNumber } from '../whole-number.ts';
import { readText } from './read-text.ts';

interface Options extends AskOptions {
  readonly format?: string;
  readonly tokens?: number;
  readonly sources?: number;
  readonly recent?: string;
  readonly topic?: readonly string[];
  readonly conversation?: readonly string[];
  readonly ids?: true;
  readonly prose?: string;
}

const tokens = { min: 50, max: 32_000, byDefault: 2000 } as const;

/** `memoryd digest QUERY` */
export function digestCommand(print: Print): Command {
  return serviceCommand('digest')
    .argument('<query...>', 'what the digest is about; - reads standard input')
    .addOption(new Option('--format <format>', 'its form (default: structured)').choices([...digestFormats]))
    .option(
      '--tokens <n>',
      `its length at most, in tokens (o200k; default: ${tokens.byDefault})`,
      wholeNumber(tokens.min, tokens.max),
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
    .action(async (words: readonly string[], options: Options) => {
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
      if (options.json) printJson(print, body);
      else printDigest(print, body as unknown as DigestRecord);
    });
}

function printDigest(print: Print, { digest, metadata }: DigestRecord): void {
  if (metadata.prose?.reason) note(`Word for word: ${metadata.prose.reason}`);
  for (const { name, reason } of metadata.branchFailures ?? [])
    note(`The ${name} part of the search failed (${reason}): the digest was made without it.`);
  print(printable(digest).trimEnd());
}
