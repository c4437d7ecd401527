import { Command, Option } from 'commander';
import { type KeyScope, keyScopes } from '../domain/api-keys/api-key.ts';
import { parseTime, toIso } from '../domain/shared/time.ts';
import { withStorage } from './with-storage.ts';

type Print = (line: string) => void;

interface CreateOptions {
  readonly user: string;
  readonly label?: string;
  readonly expires?: string;
  readonly scopes?: readonly KeyScope[];
}

const userOption = () => new Option('--user <name>', 'whose key').default('default');

/** `memoryd keys create|list|revoke` */
export function keysCommand(print: Print): Command {
  const keys = new Command('keys');
  keys
    .command('create')
    .description('make a key, and its user where there is none; the key is the last word printed')
    .addOption(userOption())
    .option('--label <text>', 'what the key is for')
    .option('--expires <time>', 'when it stops working (ISO 8601)')
    .addOption(new Option('--scopes <scope...>', 'what it may do').choices(keyScopes))
    .action(({ user, label, expires, scopes }: CreateOptions) =>
      withStorage(async (management) => {
        const owner = await management.users.ensure(user);
        const expiresAt = expires === undefined ? undefined : parseTime(expires, '--expires', 'end');
        const { apiKey } = await management.keys.create(owner, { label, expiresAt, scopes });
        print(`Made a key for ${owner.name}, shown only now: ${apiKey}`);
      }),
    );
  keys
    .command('list')
    .description('list keys')
    .addOption(userOption())
    .action(({ user }: { user: string }) =>
      withStorage(async (management) => {
        for (const key of await management.keys.list(await management.users.get(user))) {
          const times = [key.createdAt, key.expiresAt, key.lastUsedAt].map((time) =>
            time === null ? '-' : toIso(time),
          );
          print([key.id, key.prefix, key.scopes.join(','), ...times, key.label].join('\t'));
        }
      }),
    );
  keys
    .command('revoke <id>')
    .description('end a key at once')
    .addOption(userOption())
    .action((id: string, { user }: { user: string }) =>
      withStorage(async (management) => {
        await management.keys.revoke(await management.users.get(user), id);
        print(`Revoked the key ${id}`);
      }),
    );
  return keys;
}
