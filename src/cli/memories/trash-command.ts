import { type Command, Option } from 'commander';
import { trashKinds } from '../../domain/trash/trash.ts';
import { Service } from '../client/service.ts';
import { type PageOptions, pagedCommand } from '../client/service-options.ts';
import { showTime } from '../output/local-time.ts';
import type { Print } from '../output/print-list.ts';
import type { Column } from '../output/table.ts';
import { shortId } from './memory-table.ts';
import { type Listed, printListed } from './print-page.ts';
import type { TrashEntryRecord } from './trash-entries.ts';

interface Options extends PageOptions {
  readonly kind?: string;
}

const entriesDefault = 20;
const columns: readonly Column<TrashEntryRecord>[] = [
  { heading: 'ID', valueIn: ({ recordId }) => shortId(recordId), format: 'yellow' },
  { heading: 'KIND', valueIn: ({ kind }) => kind },
  { heading: 'DELETED', valueIn: ({ deletedAt }) => showTime(deletedAt), format: 'dim' },
  { heading: 'KEPT UNTIL', valueIn: ({ expiresAt }) => showTime(expiresAt), format: 'dim' },
  { heading: 'TEXT', valueIn: ({ title }) => title, isFlexible: true },
];

/** `memoryd trash` */
export function trashCommand(print: Print): Command {
  return pagedCommand('trash', entriesDefault)
    .addOption(new Option('--kind <kind>', 'only records of this kind').choices(trashKinds))
    .action(async (options: Options) => {
      const { limit, offset, kind } = options;
      const listed = await new Service(options).get<Listed<TrashEntryRecord>>('/api/trash', {
        limit,
        offset,
        kind,
      });
      printListed(print, listed, { columns, none: 'The trash is empty.' }, options);
    });
}
