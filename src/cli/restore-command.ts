import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { type AskOptions, serviceCommand } from './client/service-options.ts';
import { isRecordId, restoreFromTrash } from './memories/restore-from-trash.ts';
import type { Print } from './output/print-list.ts';

interface Options extends AskOptions {
  readonly yes?: true;
}

/** `memoryd restore ID|FILE`: a deleted record by its id, or the whole store from a backup. */
export function restoreCommand(print: Print): Command {
  return serviceCommand('restore')
    .argument(
      '<id-or-file>',
      'id of what was deleted, or its beginning; or a file of `memoryd backup`, or - for standard input',
    )
    .option('--yes', 'with a file: replace what the store holds')
    .action(async (what: string, options: Options) => {
      if (what !== '-' && !existsSync(what)) {
        if (isRecordId(what)) return restoreFromTrash(what, options, print);
        throw new Error(
          `There is no file ${what}, and it is not an id: \`npx memoryd trash\` lists those of what was deleted.`,
        );
      }
      // Only a backup needs the store: a deleted record is asked for over HTTP.
      const { restoreBackup } = await import('./restore-backup.ts');
      await restoreBackup(what, { replace: options.yes ?? false });
      const source = what === '-' ? 'the backup' : what;
      print(`The store is as it was when ${source} was made. Start memoryd again.`);
    });
}
