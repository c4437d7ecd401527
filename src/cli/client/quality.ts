import type { Command } from 'commander';
import {
  minQualityThresholdDefault,
  prunedMax,
  recentDaysDefault,
} from '../../domain/quality/quality-service.ts';
import type { QualityRecord } from '../../http/routes/system/memory-quality.ts';
import { share, wholeNumber } from '../options.ts';
import { type Column, print, printJson, printList } from '../output/print.ts';
import { note } from '../output/terminal.ts';
import { printTableWithin, withTokens } from '../output/within-tokens.ts';
import { shortId } from './listing.ts';
import { type AskOptions, Service, serviceCommand } from './service.ts';

interface QualityOptions extends AskOptions {
  readonly details?: true;
  readonly below?: number;
}

type Candidate = NonNullable<QualityRecord['candidates']>[number];

const two = (value: number) => value.toFixed(2);

/** `memoryd quality` */
export function qualityCommand(): Command {
  return serviceCommand('quality')
    .option('--details', 'the worst memories that a prune would take, with the parts of their scores')
    .option('--below <score>', `what a prune would take (default: ${minQualityThresholdDefault})`, share)
    .action(async (options: QualityOptions) => {
      const service = new Service(options);
      const answer = await service.get<{ data: QualityRecord }>('/api/system/memory/quality', {
        includeDetails: options.details,
        fresh: true,
        minQualityThreshold: options.below,
      });
      if (options.json) return printJson(answer);
      printNumbers(answer.data);
      const { candidates } = answer.data;
      if (!candidates) return;
      const texts = await textsOf(
        service,
        candidates.map(({ memoryId }) => memoryId),
      );
      print('');
      printList({
        columns: columnsWith(texts),
        items: candidates,
        none: 'A prune would take nothing.',
        json: undefined,
      });
    });
}

function printNumbers(data: QualityRecord): void {
  const { high, medium, low } = data.qualityDistribution;
  print(`memories            ${data.totalMemories}`);
  print(`high (.7 or more)   ${high}`);
  print(`medium              ${medium}`);
  print(`low (below .4)      ${low}`);
  print(`average             ${two(data.averageQuality)}`);
  print(`a prune would take  ${data.pruningCandidates}`);
  if (data.pruningCandidates > 0) note('`npx memoryd prune --dry-run` names them.');
}

function columnsWith(texts: TextOf): Column<Candidate>[] {
  const part = (heading: string, valueIn: (parts: Candidate['parts']) => number): Column<Candidate> => ({
    heading,
    valueIn: ({ parts }) => two(valueIn(parts)),
    align: 'right',
  });
  return [
    { heading: 'ID', valueIn: ({ memoryId }) => shortId(memoryId), format: 'yellow' },
    { heading: 'SCORE', valueIn: ({ score }) => two(score), align: 'right' },
    part('DENSITY', ({ informationDensity }) => informationDensity),
    part('FRESH', ({ freshness }) => freshness),
    part('USE', ({ use }) => use),
    part('LINKS', ({ connections }) => connections),
    part('STATED', ({ confidence }) => confidence),
    part('STATE', ({ statePenalty }) => statePenalty),
    { heading: 'TEXT', valueIn: ({ memoryId }) => texts(memoryId), isFlexible: true },
  ];
}

interface PruneOptions extends AskOptions {
  readonly dryRun?: true;
  readonly below?: number;
  readonly most?: number;
  readonly days?: number;
  /** Tokens of the table of a dry run. */
  readonly tokens?: number;
}

interface Pruned {
  readonly data: { readonly prunedCount: number; readonly prunedIds: readonly string[] };
}

const daysMax = 36_500;

/** `memoryd prune` */
export function pruneCommand(): Command {
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
    .action(async (options: PruneOptions) => {
      const service = new Service(options);
      const request = {
        minQualityThreshold: options.below,
        targetReduction: options.most,
        recentDaysToPreserve: options.days,
        dryRun: options.dryRun ?? false,
      };
      const { body } = await service.ask({ path: '/api/system/memory/prune', body: request });
      if (options.json) return printJson(body);
      const { prunedIds } = (body as unknown as Pruned).data;
      if (options.dryRun) await listThem(service, prunedIds, options.tokens);
      else say(prunedIds);
    });
}

async function listThem(service: Service, ids: readonly string[], tokens: number | undefined): Promise<void> {
  const texts = await textsOf(service, ids);
  const table = {
    columns: [
      { heading: 'ID', valueIn: shortId, format: 'yellow' as const },
      { heading: 'TEXT', valueIn: texts, isFlexible: true },
    ],
    items: ids,
    none: 'Nothing is to be pruned.',
  };
  await printTableWithin(table, tokens);
  if (ids.length > 0) note(`${ids.length} would go to the trash; without --dry-run they do.`);
}

function say(ids: readonly string[]): void {
  for (const id of ids) print(id);
  if (ids.length === 0) note('Nothing is to be pruned.');
  else
    note(
      `Moved ${ids.length} to the trash. \`npx memoryd trash\` lists them, \`npx memoryd restore ID\` brings one back.`,
    );
}

/** The text of a memory by its id; undefined if it does not exist. */
type TextOf = (id: string) => string | undefined;

const perRequest = 100;

interface Batch {
  readonly data: readonly { readonly id: string; readonly content: string }[];
  readonly meta: { readonly rest?: readonly string[] };
}

/** Reads the texts of memories, for lists of ids. */
export async function textsOf(service: Service, ids: readonly string[]): Promise<TextOf> {
  const texts = new Map<string, string>();
  const left = [...ids];
  while (left.length > 0) {
    const { body } = await service.ask({
      path: '/api/memories/batch',
      body: { ids: left.splice(0, perRequest), detail: 'minimal' },
    });
    const { data, meta } = body as unknown as Batch;
    for (const { id, content } of data) texts.set(id, content);
    // Long texts may fill a response before all requested memories are in it.
    if (data.length > 0) left.push(...(meta.rest ?? []));
  }
  return (id) => texts.get(id);
}
