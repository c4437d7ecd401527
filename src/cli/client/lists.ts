import { type Command, Option } from 'commander';
import type { Static } from 'typebox';
import { type EntitySort, type EntityType, entityTypes } from '../../domain/entities/entity.ts';
import { barUnits } from '../../domain/shared/time.ts';
import type { EntityNodeSchema } from '../../http/routes/entities.ts';
import type { MemoryRecord } from '../../http/schemas/memory.ts';
import type { ConversationSchema, TopicSchema } from '../../http/schemas/records.ts';
import { showTime } from '../output/local-time.ts';
import { type Column, printList } from '../output/print.ts';
import { type Listed, memoryColumns, printListed, printPage } from './listing.ts';
import { addFilterOptions, type FilterOptions, toFilterQuery } from './read-memories.ts';
import { type AskOptions, type PageOptions, pagedCommand, Service, serviceCommand } from './service.ts';

type TopicRecord = Static<typeof TopicSchema>;

interface TopicOptions extends PageOptions {
  readonly sort: 'name' | 'memories';
}

const topicsDefault = 50;
const topicColumns: readonly Column<TopicRecord>[] = [
  { heading: 'TOPIC', valueIn: ({ name }) => name, format: 'cyan' },
  { heading: 'MEMORIES', valueIn: ({ memoryCount }) => memoryCount, align: 'right' },
  { heading: 'SINCE', valueIn: ({ createdAt }) => showTime(createdAt), format: 'dim' },
];

/** `memoryd topics` */
export function topicsCommand(): Command {
  return pagedCommand('topics', topicsDefault)
    .addOption(new Option('--sort <by>', 'the order').choices(['memories', 'name']).default('memories'))
    .action(async (options: TopicOptions) => {
      const { limit, offset, sort } = options;
      const order =
        sort === 'name' ? { sortBy: 'name', order: 'asc' } : { sortBy: 'memoryCount', order: 'desc' };
      const listed = await new Service(options).get<Listed<TopicRecord>>('/api/topics', {
        limit,
        offset,
        ...order,
      });
      printListed(listed, { columns: topicColumns, none: 'There are no topics.' }, options);
    });
}

type EntityRecord = Static<typeof EntityNodeSchema>;

interface HistogramOptions extends AskOptions, FilterOptions {
  readonly field: 'createdAt' | 'updatedAt' | 'eventTime';
  readonly unit?: (typeof barUnits)[number];
}

interface Bar {
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

const barWidth = 40;

/** `memoryd histogram` */
export function histogramCommand(): Command {
  return addFilterOptions(serviceCommand('histogram'))
    .addOption(
      new Option('--field <time>', 'the time that is counted')
        .choices(['eventTime', 'createdAt', 'updatedAt'])
        .default('eventTime'),
    )
    .addOption(new Option('--unit <unit>', 'of a bar (default: what fits)').choices(barUnits))
    .action(async (options: HistogramOptions) => {
      const { field, unit } = options;
      const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
      const query = { field, unit, timeZone, ...toFilterQuery(options) };
      const counted = await new Service(options).get<{ data: Bar[] }>('/api/memories/histogram', query);
      const most = Math.max(1, ...counted.data.map(({ count }) => count));
      const columns: readonly Column<Bar>[] = [
        { heading: 'FROM', valueIn: ({ from }) => showTime(from), format: 'dim' },
        { heading: 'MEMORIES', valueIn: ({ count }) => count, align: 'right' },
        {
          heading: '',
          valueIn: ({ count }) => (count === 0 ? '-' : '#'.repeat(Math.ceil((barWidth * count) / most))),
        },
      ];
      const json = options.json ? counted : undefined;
      printList({ columns, items: counted.data, none: 'There are no such memories.', json });
    });
}

interface EntityOptions extends PageOptions {
  readonly type?: EntityType;
  readonly sort: keyof typeof entityOrders;
}

/** Orders of `memoryd entities`, each in the direction that one asks for. */
const entityOrders = {
  memories: 'mentionCount',
  name: 'name',
  'first-seen': 'firstSeenAt',
  'last-seen': 'lastSeenAt',
} as const satisfies Record<string, EntitySort>;

const entitiesDefault = 50;
const entityColumns: readonly Column<EntityRecord>[] = [
  { heading: 'ENTITY', valueIn: ({ name }) => name, format: 'cyan' },
  { heading: 'TYPE', valueIn: ({ type }) => type },
  { heading: 'MEMORIES', valueIn: ({ mentionCount }) => mentionCount, align: 'right' },
  { heading: 'LAST SEEN', valueIn: ({ lastSeenAt }) => showTime(lastSeenAt), format: 'dim' },
  { heading: 'ALSO', valueIn: ({ aliases }) => aliases.join(', ') },
];

/** `memoryd entities` */
export function entitiesCommand(): Command {
  return pagedCommand('entities', entitiesDefault)
    .argument('[name...]', 'a part of one of its names')
    .addOption(new Option('--type <type>', 'only those of this type').choices([...entityTypes]))
    .addOption(new Option('--sort <by>', 'the order').choices(Object.keys(entityOrders)).default('memories'))
    .action(async (name: readonly string[], options: EntityOptions) => {
      const { limit, offset, type, sort } = options;
      const listed = await new Service(options).get<Listed<EntityRecord>>('/api/entities', {
        limit,
        offset,
        type,
        sortBy: entityOrders[sort],
        query: name.length > 0 ? name.join(' ') : undefined,
      });
      printListed(listed, { columns: entityColumns, none: 'There are no such entities.' }, options);
    });
}

type ConversationRecord = Static<typeof ConversationSchema>;

interface Timeline {
  readonly data: readonly MemoryRecord[];
  readonly count: number;
}

const conversationsDefault = 20;
const conversationColumns: readonly Column<ConversationRecord>[] = [
  { heading: 'ID', valueIn: ({ id }) => id, format: 'yellow' },
  { heading: 'LAST MEMORY', valueIn: ({ lastActivityAt }) => showTime(lastActivityAt), format: 'dim' },
  { heading: 'MEMORIES', valueIn: ({ memoryCount }) => memoryCount, align: 'right' },
  { heading: 'TITLE', valueIn: ({ title }) => title, isFlexible: true },
];

/** `memoryd conversations [ID]` */
export function conversationsCommand(): Command {
  return pagedCommand('conversations', conversationsDefault)
    .argument('[id]', 'shows the memories of this conversation, in their order')
    .action(async (id: string | undefined, options: PageOptions) => {
      const service = new Service(options);
      await (id === undefined ? printConversations(service, options) : printOne(service, { id, options }));
    });
}

async function printConversations(service: Service, options: PageOptions): Promise<void> {
  const { limit, offset } = options;
  const body = await service.get<Listed<ConversationRecord>>('/api/conversations', { limit, offset });
  printListed(body, { columns: conversationColumns, none: 'There are no conversations.' }, options);
}

async function printOne(
  service: Service,
  { id, options }: { readonly id: string; readonly options: PageOptions },
): Promise<void> {
  const { limit, offset } = options;
  const path = `/api/conversations/${encodeURIComponent(id)}/timeline`;
  const body = await service.get<Timeline>(path, { limit, offset });
  const none = 'There are no memories in this conversation.';
  printPage({ columns: memoryColumns, items: body.data, total: body.count, none, body }, options);
}
