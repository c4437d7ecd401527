import { Command, Option } from 'commander';
import { type ApiKey, type KeyScope, keyScopes, requestsPerMinuteMax } from '../domain/api-keys/api-key.ts';
import { parseExpiry, toIso } from '../domain/shared/time.ts';
import { showTime } from './output/local-time.ts';
import { type Print, printJson, printList } from './output/print-list.ts';
import type { Column } from './output/table.ts';
import { wholeNumber } from './whole-number.ts';
import { withStorage } from './with-storage.ts';

interface CreateOptions {
  readonly user: string;
  readonly label?: string;
  readonly expires?: string;
  readonly scopes?: readonly KeyScope[];
  readonly requestsPerMinute?: number;
  readonly json?: true;
}

const columns: readonly Column<ApiKey>[] = [
  { heading: 'ID', valueIn: ({ id }) => id, format: 'yellow' },
  { heading: 'BEGINS WITH', valueIn: ({ prefix }) => prefix },
  { heading: 'SCOPES', valueIn: ({ scopes }) => scopes.join(',') },
  { heading: 'MADE', valueIn: ({ createdAt }) => showTime(createdAt), format: 'dim' },
  { heading: 'EXPIRES', valueIn: ({ expiresAt }) => showTime(expiresAt), format: 'dim' },
  { heading: 'LAST USED', valueIn: ({ lastUsedAt }) => showTime(lastUsedAt), format: 'dim' },
  { heading: 'LABEL', valueIn: ({ label }) => label, isFlexible: true },
];

function toRecord({ createdAt, expiresAt, lastUsedAt, ...key }: ApiKey) {
  const { id, prefix, label, scopes, requestsPerMinute } = key;
  const [expires, used] = [expiresAt, lastUsedAt].map((time) => (time === null ? null : toIso(time)));
  const times = { createdAt: toIso(createdAt), expiresAt: expires, lastUsedAt: used };
  return { id, prefix, label, scopes, ...times, requestsPerMinute };
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
    .action(({ user, label, expires, scopes, requestsPerMinute, json }: CreateOptions) =>
      withStorage(async (management) => {
        const expiresAt = expires === undefined ? undefined : parseExpiry(expires, '--expires', Date.now());
        const { user: owner, isNew } = await management.users.findOrAdd(user);
        const { apiKey, keyInfo } = await management.keys.create(owner, {
          label,
          expiresAt,
          scopes,
          requestsPerMinute,
        });
        const made = isNew ? `a key and the new user ${owner.name}` : `a key for ${owner.name}`;
        if (json)
          printJson(print, { data: { ...toRecord(keyInfo), user: owner.name, userIsNew: isNew, apiKey } });
        else print(`Made ${made}. The key is shown only now: ${apiKey}`);
      }),
    );
  keys
    .command('list')
    .description('list keys')
    .addOption(userOption())
    .option('--json', 'print one JSON document')
    .action(({ user, json }: { user: string; json?: true }) =>
      withStorage(async (management) => {
        const items = await management.keys.list(await management.users.get(user));
        const none = `${user} has no keys: \`npx memoryd keys create --user ${user}\` makes one.`;
        printList(print, { columns, items, none, json: json && { data: items.map(toRecord) } });
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
