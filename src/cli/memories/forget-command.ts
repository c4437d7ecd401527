import type { Command } from 'commander';
import { Service } from '../client/service.ts';
import { type AskOptions, serviceCommand } from '../client/service-options.ts';
import { showTime } from '../output/local-time.ts';
import { type Print, printJson } from '../output/print-list.ts';
import { printableLine } from '../output/printable.ts';
import { note } from '../output/terminal.ts';
import { cutToWidth } from '../output/text-width.ts';
import { findMemory } from './find-memory.ts';
import { findTrashEntries } from './trash-entries.ts';

interface Forgotten {
  readonly id: string;
  readonly content: string;
  /** End of the time to restore it; absent if it was erased at once. */
  readonly expiresAt: string | undefined;
}

const shownWidth = 60;

/** `memoryd forget ID|NAME...` */
export function forgetCommand(print: Print): Command {
  return serviceCommand('forget')
    .argument('<id...>', 'of memories: their beginnings are enough; or their names')
    .action(async (references: readonly string[], options: AskOptions) => {
      const service = new Service(options);
      const done: Forgotten[] = [];
      for (const reference of references) {
        try {
          done.push(await forget(service, reference));
        } catch (error) {
          note(`memoryd: ${(error as Error).message}`);
          process.exitCode = 1;
        }
      }
      if (options.json) printJson(print, { data: done });
      else done.flatMap(describe).forEach(print);
    });
}

async function forget(service: Service, reference: string): Promise<Forgotten> {
  const { memory, etag } = await findMemory(service, reference);
  await service.ask({ method: 'DELETE', path: `/api/memories/${memory.id}`, ifMatch: etag });
  const [entry] = await findTrashEntries(service, memory.id, 1);
  return { id: memory.id, content: memory.content, expiresAt: entry?.expiresAt };
}

function describe({ id, content, expiresAt }: Forgotten): string[] {
  const text = cutToWidth(printableLine(content), shownWidth);
  if (expiresAt === undefined) return [`Erased for good, as MEMORYD_TRASH_DAYS is 0: ${text}`];
  return [
    `Moved to the trash: ${text}`,
    `  npx memoryd restore ${id}   brings it back, until ${showTime(expiresAt)}`,
  ];
}
