import type { Command } from 'commander';
import type { Static } from 'typebox';
import type { MemoryRecord } from '../../http/schemas/memory.ts';
import type { ConversationSchema } from '../../http/schemas/records.ts';
import { Service } from '../client/service.ts';
import { type PageOptions, pagedCommand } from '../client/service-options.ts';
import { showTime } from '../output/local-time.ts';
import type { Print } from '../output/print-list.ts';
import type { Column } from '../output/table.ts';
import { memoryColumns } from './memory-table.ts';
import { type Listed, printListed, printPage } from './print-page.ts';

type ConversationRecord = Static<typeof ConversationSchema>;

interface Timeline {
  readonly data: readonly MemoryRecord[];
  readonly count: number;
}

const conversationsDefault = 20;
const columns: readonly Column<ConversationRecord>[] = [
  { heading: 'ID', valueIn: ({ id }) => id, format: 'yellow' },
  { heading: 'LAST MEMORY', valueIn: ({ lastActivityAt }) => showTime(lastActivityAt), format: 'dim' },
  { heading: 'MEMORIES', valueIn: ({ memoryCount }) => memoryCount, align: 'right' },
  { heading: 'TITLE', valueIn: ({ title }) => title, isFlexible: true },
];

/** `memoryd conversations [ID]` */
export function conversationsCommand(print: Print): Command {
  return pagedCommand('conversations', conversationsDefault)
    .argument('[id]', 'shows the memories of this conversation, in their order')
    .action(async (id: string | undefined, options: PageOptions) => {
      const service = new Service(options);
      await (id === undefined
        ? printConversations(print, service, options)
        : printOne(print, service, { id, options }));
    });
}

async function printConversations(print: Print, service: Service, options: PageOptions): Promise<void> {
  const { limit, offset } = options;
  const body = await service.get<Listed<ConversationRecord>>('/api/conversations', { limit, offset });
  printListed(print, body, { columns, none: 'There are no conversations.' }, options);
}

async function printOne(
  print: Print,
  service: Service,
  { id, options }: { readonly id: string; readonly options: PageOptions },
): Promise<void> {
  const { limit, offset } = options;
  const path = `/api/conversations/${encodeURIComponent(id)}/timeline`;
  const body = await service.get<Timeline>(path, { limit, offset });
  const none = 'There are no memories in this conversation.';
  printPage(print, { columns: memoryColumns, items: body.data, total: body.count, none, body }, options);
}
