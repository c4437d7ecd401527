import { type Command, Option } from 'commander';
import type { Static } from 'typebox';
import { type JobState, jobStates } from '../../domain/jobs/job.ts';
import type { JobSchema } from '../../http/routes/system/jobs.ts';
import { showTime } from '../output/local-time.ts';
import { type Column, print, printJson } from '../output/print.ts';
import { type Listed, printListed } from './listing.ts';
import { type AskOptions, type PageOptions, pagedCommand, Service, serviceCommand } from './service.ts';

type JobRecord = Static<typeof JobSchema>;

interface JobOptions extends PageOptions {
  readonly state?: JobState;
  readonly step?: string;
}

const listedDefault = 20;
const columns: readonly Column<JobRecord>[] = [
  { heading: 'ID', valueIn: ({ id }) => id, format: 'yellow' },
  { heading: 'STATE', valueIn: ({ state }) => state },
  { heading: 'MEMORY', valueIn: ({ memoryId }) => memoryId },
  { heading: 'TRIES', valueIn: ({ attempts }) => attempts, align: 'right' },
  { heading: 'LAST ERROR', valueIn: ({ lastError = '' }) => lastError },
  { heading: 'SINCE', valueIn: ({ since }) => showTime(since), format: 'dim' },
];

/** `memoryd jobs list` */
export function listJobsCommand(): Command {
  return pagedCommand('list', listedDefault)
    .description('list what a running service still has to do for your memories, and what failed')
    .addOption(new Option('--state <state>', 'only those in this state').choices(jobStates))
    .option('--step <step>', 'only this step')
    .action(async (options: JobOptions) => {
      const { limit, offset, state, step } = options;
      const query = { limit, offset, state, step };
      const listed = await new Service(options).get<Listed<JobRecord>>('/api/system/jobs', query);
      printListed(listed, { columns, none: 'Nothing waits and nothing failed.' }, options);
    });
}

/** `memoryd jobs retry` */
export function retryJobsCommand(): Command {
  return serviceCommand('retry')
    .description('have a running service try jobs of your memories again')
    .argument('<id...>', 'as `jobs list` shows them')
    .action(async (ids: readonly string[], options: AskOptions) => {
      const service = new Service(options);
      const responses: unknown[] = [];
      for (const id of ids) {
        const path = `/api/system/jobs/${encodeURIComponent(id)}/retry`;
        responses.push((await service.ask({ method: 'POST', path, body: {} })).body);
        if (!options.json) print(`retry: ${id}`);
      }
      if (options.json) printJson({ data: responses });
    });
}
