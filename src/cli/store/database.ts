import { Command } from 'commander';
import { loadConfig } from '../../config/load.ts';
import { wholeNumber } from '../options.ts';
import { print } from '../output/print.ts';
import { openAndWatch } from './with-storage.ts';

/** Each part is a table of its own with its indexes: a statement over all users opens all of them. */
const partitionsMax = 256;

/** `memoryd database create --partitions N` */
export function databaseCommand(): Command {
  return new Command('database').addCommand(
    new Command('create')
      .description('make the tables in an empty database of PostgreSQL, split by user')
      .requiredOption(
        '--partitions <n>',
        'parts of each table that has rows of users; it cannot be changed later',
        wholeNumber(2, partitionsMax),
      )
      .action(({ partitions }: { partitions: number }) => create(partitions)),
  );
}

async function create(partitions: number): Promise<void> {
  const storage = await openAndWatch(loadConfig(), { exclusive: false, partitions });
  await storage.close();
  print(`Made a store whose tables have ${partitions} parts each, by user. \`npx memoryd serve\` serves it.`);
}
