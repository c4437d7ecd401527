import { type Command, Option } from 'commander';
import type { Static } from 'typebox';
import { type EntityType, entityTypes } from '../../domain/entities/entity-type.ts';
import type { EntityNodeSchema } from '../../http/routes/entities.ts';
import { Service } from '../client/service.ts';
import { type PageOptions, pagedCommand } from '../client/service-options.ts';
import { showTime } from '../output/local-time.ts';
import type { Print } from '../output/print-list.ts';
import type { Column } from '../output/table.ts';
import { type Listed, printListed } from './print-page.ts';

type EntityRecord = Static<typeof EntityNodeSchema>;

interface Options extends PageOptions {
  readonly type?: EntityType;
}

const entitiesDefault = 50;
const columns: readonly Column<EntityRecord>[] = [
  { heading: 'ENTITY', valueIn: ({ name }) => name, format: 'cyan' },
  { heading: 'TYPE', valueIn: ({ type }) => type },
  { heading: 'MEMORIES', valueIn: ({ mentionCount }) => mentionCount, align: 'right' },
  { heading: 'LAST SEEN', valueIn: ({ lastSeenAt }) => showTime(lastSeenAt), format: 'dim' },
  { heading: 'ALSO', valueIn: ({ aliases }) => aliases.join(', ') },
];

/** `memoryd entities` */
export function entitiesCommand(print: Print): Command {
  return pagedCommand('entities', entitiesDefault)
    .argument('[name...]', 'a part of one of its names')
    .addOption(new Option('--type <type>', 'only those of this type').choices([...entityTypes]))
    .action(async (name: readonly string[], options: Options) => {
      const { limit, offset, type } = options;
      const listed = await new Service(options).get<Listed<EntityRecord>>('/api/entities', {
        limit,
        offset,
        type,
        query: name.length > 0 ? name.join(' ') : undefined,
      });
      printListed(print, listed, { columns, none: 'There are no such entities.' }, options);
    });
}
