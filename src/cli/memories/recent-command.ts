import type { Command } from 'commander';
import type { MemoryRecord } from '../../http/schemas/memory.ts';
import { Service } from '../client/service.ts';
import { type PageOptions, pagedCommand } from '../client/service-options.ts';
import type { Print } from '../output/print-list.ts';
import { addFilterOptions, type FilterOptions, toFilterQuery } from './filters.ts';
import { memoryColumns } from './memory-table.ts';
import { type Listed, printListed } from './print-page.ts';

interface Options extends PageOptions, FilterOptions {
  readonly within?: string;
}

const memoriesDefault = 20;

/** `memoryd recent` */
export function recentCommand(print: Print): Command {
  return addFilterOptions(pagedCommand('recent', memoriesDefault))
    .option('--within <window>', 'only what was written in the last 30m, 24h, 7d, 2w or 1mo')
    .action(async (options: Options) => {
      const { limit, offset, within: recent } = options;
      const listed = await new Service(options).get<Listed<MemoryRecord>>('/api/memories', {
        limit,
        offset,
        recent,
        sortBy: 'createdAt',
        order: 'desc',
        ...toFilterQuery(options),
      });
      printListed(print, listed, { columns: memoryColumns, none: 'There are no such memories.' }, options);
    });
}
