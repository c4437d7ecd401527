import type { Command } from 'commander';
import { minQualityThresholdDefault } from '../../domain/quality/quality-service.ts';
import type { QualityRecord } from '../../http/routes/system/memory-quality.ts';
import { Service } from '../client/service.ts';
import { type AskOptions, serviceCommand } from '../client/service-options.ts';
import { type Print, printJson, printList } from '../output/print-list.ts';
import type { Column } from '../output/table.ts';
import { note } from '../output/terminal.ts';
import { share } from '../share.ts';
import { shortId } from './memory-table.ts';
import { type TextOf, textsOf } from './texts-of.ts';

interface Options extends AskOptions {
  readonly details?: true;
  readonly below?: number;
}

type Candidate = NonNullable<QualityRecord['candidates']>[number];

const two = (value: number) => value.toFixed(2);

/** `memoryd quality` */
export function qualityCommand(print: Print): Command {
  return serviceCommand('quality')
    .option('--details', 'the worst memories that a prune would take, with the parts of their scores')
    .option('--below <score>', `what a prune would take (default: ${minQualityThresholdDefault})`, share)
    .action(async (options: Options) => {
      const service = new Service(options);
      const answer = await service.get<{ data: QualityRecord }>('/api/system/memory/quality', {
        includeDetails: options.details,
        minQualityThreshold: options.below,
      });
      if (options.json) return printJson(print, answer);
      printNumbers(print, answer.data);
      const { candidates } = answer.data;
      if (!candidates) return;
      const texts = await textsOf(
        service,
        candidates.map(({ memoryId }) => memoryId),
      );
      print('');
      printList(print, {
        columns: columnsWith(texts),
        items: candidates,
        none: 'A prune would take nothing.',
        json: undefined,
      });
    });
}

function printNumbers(print: Print, data: QualityRecord): void {
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
