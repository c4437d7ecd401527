import { Command } from 'commander';
import { removalUnfinished } from '../domain/shared/errors.ts';
import { toIso } from '../domain/shared/time.ts';
import type { UserService } from '../domain/users/user-service.ts';
import { withStorage } from './with-storage.ts';

type Print = (line: string) => void;

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
    .action(() =>
      withStorage(async (management) => {
        for (const user of await management.users.list()) {
          print([user.name, user.publicId, user.email, toIso(user.createdAt)].join('\t'));
        }
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

/** @throws as the service does, with a way on where the records are gone but not yet from the files */
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
