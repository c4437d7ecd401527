import { Command } from 'commander';
import { writeFile } from './transfer/write-file.ts';
import { withStorage } from './with-storage.ts';

type Print = (line: string) => void;

/** `memoryd export --user NAME FILE` */
export function exportCommand(print: Print): Command {
  return new Command('export')
    .requiredOption('--user <name>', 'whose records')
    .argument('<file>', 'see docs/export.md')
    .action((file: string, { user }: { user: string }) =>
      withStorage(async ({ transfer }) => {
        const { rows } = await writeFile(transfer, { path: file, format: 'memoryd-export', user });
        const { memories = 0, conversations = 0, facts = 0 } = rows;
        print(
          `Wrote ${memories} memories, ${conversations} conversations, ${facts} facts and all else of ${user} to ${file}.`,
        );
      }),
    );
}
