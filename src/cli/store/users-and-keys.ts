import { Command, Option } from 'commander';
import {
  type ApiKey,
  type KeyScope,
  keyScopes,
  requestsPerMinuteMax,
} from '../../domain/api-keys/api-key.ts';
import { removalUnfinished } from '../../domain/shared/errors.ts';
import { parseExpiry, toIso } from '../../domain/shared/time.ts';
import type { User } from '../../domain/users/user.ts';
import type { UserService } from '../../domain/users/user-service.ts';
import { wholeNumber } from '../options.ts';
import { showTime } from '../output/local-time.ts';
import { type Column, print, printJson, printList } from '../output/print.ts';
import { withStorage } from './with-storage.ts';

const userColumns: readonly Column<User>[] = [
  { heading: 'NAME', valueIn: ({ name }) => name },
  { heading: 'ID', valueIn: ({ publicId }) => publicId, format: 'yellow' },
  { heading: 'EMAIL', valueIn: ({ email }) => email },
  { heading: 'SINCE', valueIn: ({ createdAt }) => showTime(createdAt), format: 'dim' },
];

function toUserRecord({ name, publicId, email, createdAt }: User) {
  return { name, id: publicId, email, createdAt: toIso(createdAt) };
}

/** `memoryd users add|list|remove` */
export function usersCommand(): Command {
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
        const records = json && { data: items.map(toUserRecord) };
        printList({ columns: userColumns, items, none, json: records });
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

interface CreateOptions {
  readonly user: string;
  readonly label?: string;
  readonly expires?: string;
  readonly scopes?: readonly KeyScope[];
  readonly requestsPerMinute?: number;
  readonly json?: true;
}

const keyColumns: readonly Column<ApiKey>[] = [
  { heading: 'ID', valueIn: ({ id }) => id, format: 'yellow' },
  { heading: 'BEGINS WITH', valueIn: ({ prefix }) => prefix },
  { heading: 'SCOPES', valueIn: ({ scopes }) => scopes.join(',') },
  { heading: 'MADE', valueIn: ({ createdAt }) => showTime(createdAt), format: 'dim' },
  { heading: 'EXPIRES', valueIn: ({ expiresAt }) => showTime(expiresAt), format: 'dim' },
  { heading: 'LAST USED', valueIn: ({ lastUsedAt }) => showTime(lastUsedAt), format: 'dim' },
  { heading: 'LABEL', valueIn: ({ label }) => label, isFlexible: true },
];

function toKeyRecord({ createdAt, expiresAt, lastUsedAt, ...key }: ApiKey) {
  const { id, prefix, label, scopes, requestsPerMinute } = key;
  const [expires, used] = [expiresAt, lastUsedAt].map((time) => (time === null ? null : toIso(time)));
  const times = { createdAt: toIso(createdAt), expiresAt: expires, lastUsedAt: used };
  return { id, prefix, label, scopes, ...times, requestsPerMinute };
}

const userOption = () => new Option('--user <name>', 'whose key').default('default');

/** `memoryd keys create|list|revoke` */
export function keysCommand(): Command {
  const keys = new Command('keys');
  keys
    .command('create')
    .description('make a key, and its user where there is none; the key is the last word printed')
    .addOption(userOption())
    .option('--label <text>', 'what the key is for')
    .option(
      '--expires <time>',
      'when it stops working: ISO 8601, or how long until then, such as 24h, 30d, 2w',
    )
    .addOption(
      new Option(
        '--scope, --scopes <scope...>',
        'what it may do; operator is for users and keys of the whole store (default: read write admin)',
      ).choices(keyScopes),
    )
    .option(
      '--requests-per-minute <n>',
      'how many requests a minute it may make at each process of the service (default: no limit)',
      wholeNumber(1, requestsPerMinuteMax),
    )
    .option('--json', 'print one JSON document')
    .action((options: CreateOptions) => createKey(options));
  keys
    .command('list')
    .description('list keys')
    .addOption(userOption())
    .option('--json', 'print one JSON document')
    .action(({ user, json }: { user: string; json?: true }) =>
      withStorage(async (management) => {
        const items = await management.keys.list(await management.users.get(user));
        const none = `${user} has no keys: \`npx memoryd keys create --user ${user}\` makes one.`;
        const records = json && { data: items.map(toKeyRecord) };
        printList({ columns: keyColumns, items, none, json: records });
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

function createKey(options: CreateOptions): Promise<void> {
  const { user, label, expires, scopes, requestsPerMinute, json } = options;
  return withStorage(async ({ users, keys }) => {
    const expiresAt = expires === undefined ? undefined : parseExpiry(expires, '--expires', Date.now());
    const { user: owner, isNew } = await users.findOrAdd(user);
    const { apiKey, keyInfo } = await keys.create(owner, { label, expiresAt, scopes, requestsPerMinute });
    const made = isNew ? `a key and the new user ${owner.name}` : `a key for ${owner.name}`;
    if (json) printJson({ data: { ...toKeyRecord(keyInfo), user: owner.name, userIsNew: isNew, apiKey } });
    else print(`Made ${made}. The key is shown only now: ${apiKey}`);
  });
}
