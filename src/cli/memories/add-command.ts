import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import type { MemoryRecord } from '../../http/schemas/memory.ts';
import { Service } from '../client/service.ts';
import { type AskOptions, serviceCommand } from '../client/service-options.ts';
import { type Print, printJson } from '../output/print-list.ts';
import { addFieldOptions, type FieldOptions, toFields } from './memory-fields.ts';
import { readText } from './read-text.ts';

interface Options extends AskOptions, FieldOptions {
  readonly conversation?: string;
  readonly externalId?: string;
}

interface Created {
  readonly data: MemoryRecord;
  readonly meta: { readonly conversationCreated: boolean; readonly existing?: boolean };
}

/** `memoryd add TEXT|-` */
export function addCommand(print: Print): Command {
  return addFieldOptions(serviceCommand('add'))
    .argument('<text...>', 'what to remember; - reads standard input')
    .option('--conversation <id>', 'of which it is a part; NEW begins one (default: the service decides)')
    .option('--external-id <id>', 'what another system calls it: a second add with it stores nothing')
    .action(async (words: readonly string[], options: Options) => {
      const { conversation: conversationId, externalId } = options;
      const content = await readText(words);
      const { body } = await new Service(options).ask({
        path: '/api/memories',
        body: { content, conversationId, externalId, ...toFields(options) },
        // A request that is sent again because its response was lost stores nothing twice.
        idempotencyKey: `add-${randomUUID()}`,
      });
      if (options.json) printJson(print, body);
      else print(describeCreated(body as unknown as Created));
    });
}

function describeCreated({ data, meta }: Created): string {
  if (meta.existing) return `It is there already, and was left as it is: ${data.id}`;
  const place = meta.conversationCreated ? 'a new conversation' : `the conversation ${data.conversationId}`;
  return `Stored in ${place}: ${data.id}`;
}
