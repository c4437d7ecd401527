import { Command } from 'commander';
import { loadConfig } from '../../config/load.ts';
import { distributeStorage } from '../../open-storage.ts';
import { wholeNumber } from '../options.ts';
import { print } from '../output/print.ts';
import { openAndWatch } from './with-storage.ts';

/** Each part is a table of its own with its indexes: a statement over all users opens all of them. */
const partitionsMax = 256;

/** `memoryd database create --partitions N` and `memoryd database distribute` */
export function databaseCommand(): Command {
  const database = new Command('database');
  database
    .command('create')
    .description('make the tables in an empty database of PostgreSQL, split by user')
    .requiredOption(
      '--partitions <n>',
      'parts of each table that has rows of users; it cannot be changed later',
      wholeNumber(2, partitionsMax),
    )
    .action(({ partitions }: { partitions: number }) => create(partitions));
  database
    .command('distribute')
    .description('distribute the tables over the nodes of Citus, by user, while no service runs')
    .action(distribute);
  return database;
}

async function create(partitions: number): Promise<void> {
  const storage = await openAndWatch(loadConfig(), { exclusive: false, partitions });
  await storage.close();
  print(`Made a store whose tables have ${partitions} parts each, by user. \`npx memoryd serve\` serves it.`);
}

async function distribute(): Promise<void> {
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  const count = await distributeStorage(loadConfig(), {
    say,
    onTable: (table) => say(`distributed ${table}`),
  });
  print(
    count === 0
      ? 'The tables are distributed already.'
      : `Distributed ${count} tables. \`npx memoryd serve\` serves the store as before.`,
  );
}
