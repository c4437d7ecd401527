import { existsSync } from 'node:fs';
import cliProgress from 'cli-progress';
import { Command } from 'commander';
import { loadConfig } from '../config/load.ts';
import { backupStore, restoreStore } from '../container.ts';

type Print = (line: string) => void;

/** `memoryd backup FILE` */
export function backupCommand(print: Print): Command {
  return new Command('backup')
    .description(
      'copy the whole store to a file, beside a running service (SQLite; on PostgreSQL use pg_dump)',
    )
    .argument('<file>')
    .action(async (file: string) => {
      const bar = new cliProgress.SingleBar({
        format: 'copying {bar} {percentage}%',
        stream: process.stderr,
        hideCursor: true,
      });
      bar.start(1, 0);
      try {
        await backupStore(loadConfig(), file, (done, total) => {
          bar.setTotal(total);
          bar.update(done);
        });
      } finally {
        bar.stop();
      }
      print(`The store is copied to ${file}. It holds everything, keys too: keep it as safe as the store.`);
    });
}

/** `memoryd restore FILE` */
export function restoreCommand(print: Print): Command {
  return new Command('restore')
    .description('put a backup in the place of the store; the service must be stopped (SQLite)')
    .argument('<file>')
    .option('--yes', 'replace what the store holds')
    .action((file: string, { yes }: { yes?: boolean }) => {
      if (!existsSync(file)) throw new Error(`there is no file ${file}`);
      restoreStore(loadConfig(), file, { replace: yes ?? false });
      print(`The store is as it was when ${file} was made. Start memoryd again.`);
    });
}
