import type { Command } from 'commander';
import {
  minQualityThresholdDefault,
  prunedMax,
  recentDaysDefault,
} from '../../domain/quality/quality-service.ts';
import { Service } from '../client/service.ts';
import { type AskOptions, serviceCommand } from '../client/service-options.ts';
import { type Print, printJson } from '../output/print-list.ts';
import { note } from '../output/terminal.ts';
import { printTableWithin, withTokens } from '../output/within-tokens.ts';
import { share } from '../share.ts';
import { wholeNumber } from '../whole-number.ts';
import { shortId } from './memory-table.ts';
import { textsOf } from './texts-of.ts';

interface Options extends AskOptions {
  readonly dryRun?: true;
  readonly below?: number;
  readonly most?: number;
  readonly days?: number;
  /** Of the table of a dry run. */
  readonly tokens?: number;
}

interface Pruned {
  readonly data: { readonly prunedCount: number; readonly prunedIds: readonly string[] };
}

const daysMax = 36_500;

/** `memoryd prune` */
export function pruneCommand(print: Print): Command {
  return withTokens(serviceCommand('prune'))
    .option('--dry-run', 'names them and deletes nothing')
    .option(
      '--below <score>',
      `only those of a lower quality (default: ${minQualityThresholdDefault})`,
      share,
    )
    .option('--most <n>', `how many at most (default: ${prunedMax})`, wholeNumber(0))
    .option(
      '--days <n>',
      `what was written within so many days stays (default: ${recentDaysDefault}; 0: nothing)`,
      wholeNumber(0, daysMax),
    )
    .action(async (options: Options) => {
      const service = new Service(options);
      const request = {
        minQualityThreshold: options.below,
        targetReduction: options.most,
        recentDaysToPreserve: options.days,
        dryRun: options.dryRun ?? false,
      };
      const { body } = await service.ask({ path: '/api/system/memory/prune', body: request });
      if (options.json) return printJson(print, body);
      const { prunedIds } = (body as unknown as Pruned).data;
      if (options.dryRun) await listThem(print, service, prunedIds, options.tokens);
      else say(print, prunedIds);
    });
}

async function listThem(
  print: Print,
  service: Service,
  ids: readonly string[],
  tokens: number | undefined,
): Promise<void> {
  const texts = await textsOf(service, ids);
  const table = {
    columns: [
      { heading: 'ID', valueIn: shortId, format: 'yellow' as const },
      { heading: 'TEXT', valueIn: texts, isFlexible: true },
    ],
    items: ids,
    none: 'Nothing is to be pruned.',
  };
  await printTableWithin(print, table, tokens);
  if (ids.length > 0) note(`${ids.length} would go to the trash; without --dry-run they do.`);
}

function say(print: Print, ids: readonly string[]): void {
  for (const id of ids) print(id);
  if (ids.length === 0) note('Nothing is to be pruned.');
  else
    note(
      `Moved ${ids.length} to the trash. \`npx memoryd trash\` lists them, \`npx memoryd restore ID\` brings one back.`,
    );
}
