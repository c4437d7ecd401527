import { type Command, Option } from 'commander';
import type { Static } from 'typebox';
import type { TopicSchema } from '../../http/schemas/records.ts';
import { Service } from '../client/service.ts';
import { type PageOptions, pagedCommand } from '../client/service-options.ts';
import { showTime } from '../output/local-time.ts';
import type { Print } from '../output/print-list.ts';
import type { Column } from '../output/table.ts';
import { type Listed, printListed } from './print-page.ts';

type TopicRecord = Static<typeof TopicSchema>;

interface Options extends PageOptions {
  readonly sort: 'name' | 'memories';
}

const topicsDefault = 50;
const columns: readonly Column<TopicRecord>[] = [
  { heading: 'TOPIC', valueIn: ({ name }) => name, format: 'cyan' },
  { heading: 'MEMORIES', valueIn: ({ memoryCount }) => memoryCount, align: 'right' },
  { heading: 'SINCE', valueIn: ({ createdAt }) => showTime(createdAt), format: 'dim' },
];

/** `memoryd topics` */
export function topicsCommand(print: Print): Command {
  return pagedCommand('topics', topicsDefault)
    .addOption(new Option('--sort <by>', 'the order').choices(['memories', 'name']).default('memories'))
    .action(async (options: Options) => {
      const { limit, offset, sort } = options;
      const order =
        sort === 'name' ? { sortBy: 'name', order: 'asc' } : { sortBy: 'memoryCount', order: 'desc' };
      const listed = await new Service(options).get<Listed<TopicRecord>>('/api/topics', {
        limit,
        offset,
        ...order,
      });
      printListed(print, listed, { columns, none: 'There are no topics.' }, options);
    });
}
