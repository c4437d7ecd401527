import { Command, Option } from 'commander';
import type { Static } from 'typebox';
import type { ReviewedSchema } from '../../http/routes/relationships/review.ts';
import { share } from '../options.ts';
import { type Column, print, printJson } from '../output/print.ts';
import { type Listed, printListed } from './listing.ts';
import { type AskOptions, type PageOptions, pagedCommand, Service, serviceCommand } from './service.ts';

type Found = Static<typeof ReviewedSchema>;

interface ListOptions extends PageOptions {
  readonly state: 'candidate' | 'active';
  readonly confidence?: number;
}

const listedDefault = 20;
const columns: readonly Column<Found>[] = [
  { heading: 'ID', valueIn: ({ id }) => id, format: 'yellow' },
  { heading: 'CONFIDENCE', valueIn: ({ confidence }) => confidence.toFixed(2), align: 'right' },
  { heading: 'REASON', valueIn: ({ reason = '' }) => reason, isFlexible: true },
];

const acts = {
  accept: 'make relationships of candidates, or keep relationships that were found',
  reject: 'reject them: they are not found again',
  reopen: 'take back that they were accepted, rejected or removed',
} as const;

/** `memoryd review` */
export function reviewCommand(): Command {
  const command = new Command('review').addCommand(listCommand());
  for (const [act, description] of Object.entries(acts))
    command.addCommand(
      serviceCommand(act)
        .description(description)
        .argument('<id...>', 'as `review list` shows them')
        .action((ids: readonly string[], options: AskOptions) => decide(act, ids, options)),
    );
  return command;
}

function listCommand(): Command {
  return pagedCommand('list', listedDefault)
    .description('list relationships that were found and wait for a decision, the surest first')
    .addOption(
      new Option('--state <state>', 'too uncertain to act, or acting')
        .choices(['candidate', 'active'])
        .default('candidate'),
    )
    .option('--confidence <share>', 'only those that are as sure as this', share)
    .action(async (options: ListOptions) => {
      const { limit, offset, state, confidence } = options;
      const listed = await new Service(options).get<Listed<Found>>('/api/relationships', {
        limit,
        offset,
        state,
        minConfidence: confidence,
        undecided: true,
      });
      printListed(listed, { columns, none: 'Nothing waits for a decision.' }, options);
    });
}

async function decide(act: string, ids: readonly string[], options: AskOptions): Promise<void> {
  const service = new Service(options);
  const responses: unknown[] = [];
  for (const id of ids) {
    const path = `/api/relationships/candidates/${encodeURIComponent(id)}/${act}`;
    responses.push((await service.ask({ method: 'POST', path, body: {} })).body);
    if (!options.json) print(`${act}: ${id}`);
  }
  if (options.json) printJson({ data: responses });
}
