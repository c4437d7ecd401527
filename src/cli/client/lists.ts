import { type Command, Option } from 'commander';
import type { Static } from 'typebox';
import { type EntityType, entityTypes } from '../../domain/entities/entity.ts';
import type { EntityNodeSchema } from '../../http/routes/entities.ts';
import type { MemoryRecord } from '../../http/schemas/memory.ts';
import type { ConversationSchema, TopicSchema } from '../../http/schemas/records.ts';
import { showTime } from '../output/local-time.ts';
import type { Column } from '../output/print.ts';
import { type Listed, memoryColumns, printListed, printPage } from './listing.ts';
import { type PageOptions, pagedCommand, Service } from './service.ts';

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

interface EntityOptions extends PageOptions {
  readonly type?: EntityType;
}

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
    .action(async (name: readonly string[], options: EntityOptions) => {
      const { limit, offset, type } = options;
      const listed = await new Service(options).get<Listed<EntityRecord>>('/api/entities', {
        limit,
        offset,
        type,
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
