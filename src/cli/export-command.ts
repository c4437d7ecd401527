import { Command } from 'commander';
import type { Print } from './output/print-list.ts';
import { note } from './output/terminal.ts';
import { standardStream } from './transfer/with-input-file.ts';
import { writeFile } from './transfer/write-file.ts';
import { withStorage } from './with-storage.ts';

/** `memoryd export --user NAME FILE` */
export function exportCommand(print: Print): Command {
  return new Command('export')
    .requiredOption('--user <name>', 'whose records')
    .argument('<file>', 'see docs/export.md; - is standard output')
    .action((file: string, { user }: { user: string }) =>
      withStorage(async ({ transfer }) => {
        const { rows } = await writeFile(transfer, { path: file, format: 'memoryd-export', user });
        const { memories = 0, conversations = 0, facts = 0 } = rows;
        const written = `${memories} memories, ${conversations} conversations, ${facts} facts and all else of ${user}`;
        if (file === standardStream) note(`Wrote ${written}.`);
        else print(`Wrote ${written} to ${file}.`);
      }),
    );
}
