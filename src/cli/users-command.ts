import { Command } from 'commander';
import { removalUnfinished } from '../domain/shared/errors.ts';
import { toIso } from '../domain/shared/time.ts';
import type { User } from '../domain/users/user.ts';
import type { UserService } from '../domain/users/user-service.ts';
import { showTime } from './output/local-time.ts';
import { type Print, printList } from './output/print-list.ts';
import type { Column } from './output/table.ts';
import { withStorage } from './with-storage.ts';

const columns: readonly Column<User>[] = [
  { heading: 'NAME', valueIn: ({ name }) => name },
  { heading: 'ID', valueIn: ({ publicId }) => publicId, format: 'yellow' },
  { heading: 'EMAIL', valueIn: ({ email }) => email },
  { heading: 'SINCE', valueIn: ({ createdAt }) => showTime(createdAt), format: 'dim' },
];

function toRecord({ name, publicId, email, createdAt }: User) {
  return { name, id: publicId, email, createdAt: toIso(createdAt) };
}

/** `memoryd users add|list|remove` */
export function usersCommand(print: Print): Command {
  const users = new Command('users');
  users
    .command('add <name>')
    .description('make a user')
    .option('--email <address>', 'shown to clients of the user')
    .action((name: string, { email }: { email?: string }) =>
      withStorage(async (management) => {
        const user = await management.users.add(name, email);
        print(`Made the user ${user.name}, id ${user.publicId}`);
      }),
    );
  users
    .command('list')
    .description('list users')
    .option('--json', 'print one JSON document')
    .action(({ json }: { json?: true }) =>
      withStorage(async (management) => {
        const items = await management.users.list();
        const none = 'There are no users yet: the first start of `npx memoryd serve` makes one.';
        printList(print, { columns, items, none, json: json && { data: items.map(toRecord) } });
        for (const name of await management.users.listUnfinishedRemovals())
          process.stderr.write(`${removalUnfinished(name).message}\n`);
      }),
    );
  users
    .command('remove <name>')
    .description('erase a user and everything of theirs, for good')
    .option('--yes', 'really do it')
    .action((name: string, { yes }: { yes?: boolean }) =>
      withStorage(async (management) => {
        if (!yes) throw new Error(`This erases everything of ${name}, for good. Say so with --yes.`);
        await remove(management.users, name);
        print(`Erased the user ${name}`);
      }),
    );
  return users;
}

/**
 * @throws as the service does, with a remedy if the records
 * are deleted but their bytes are still in the files
 */
async function remove(users: UserService, name: string): Promise<void> {
  try {
    await users.remove(name);
  } catch (error) {
    const unfinished = await users.listUnfinishedRemovals();
    if (!unfinished.includes(name)) throw error;
    const [reason, wayOn] = [error, removalUnfinished(name)].map((each) => (each as Error).message);
    throw new Error(`${reason} ${wayOn}`, { cause: error });
  }
}
