import { Command, Option } from 'commander';
import type { OAuthGrant } from '../../domain/oauth/oauth-grants.ts';
import { toIso } from '../../domain/shared/time.ts';
import { showTime } from '../output/local-time.ts';
import { type Column, print, printList } from '../output/print.ts';
import { withStorage } from './with-storage.ts';

const columns: readonly Column<OAuthGrant>[] = [
  { heading: 'ID', valueIn: ({ id }) => id, format: 'yellow' },
  { heading: 'SCOPES', valueIn: ({ scopes }) => scopes.join(',') },
  { heading: 'GIVEN', valueIn: ({ createdAt }) => showTime(createdAt), format: 'dim' },
  { heading: 'KEY', valueIn: ({ keyId }) => keyId, format: 'dim' },
  { heading: 'CLIENT', valueIn: ({ clientName }) => clientName, isFlexible: true },
];

const toRecord = ({ createdAt, expiresAt, ...grant }: OAuthGrant) => ({
  ...grant,
  createdAt: toIso(createdAt),
  expiresAt: toIso(expiresAt),
});

const userOption = () => new Option('--user <name>', 'whose grants').default('default');

/** `memoryd grants list|end` */
export function grantsCommand(): Command {
  const grants = new Command('grants');
  grants
    .command('list')
    .description('list the clients that OAuth let in, such as connectors of claude.ai and ChatGPT')
    .addOption(userOption())
    .option('--json', 'print one JSON document')
    .action(({ user, json }: { user: string; json?: true }) =>
      withStorage(async (management) => {
        const items = await management.grants.list(await management.users.get(user));
        const none = `${user} let no client in by OAuth.`;
        printList({ columns, items, none, json: json && { data: items.map(toRecord) } });
      }),
    );
  grants
    .command('end <id>')
    .description('end a grant and its tokens at once')
    .addOption(userOption())
    .action((id: string, { user }: { user: string }) =>
      withStorage(async (management) => {
        await management.grants.end(await management.users.get(user), id);
        print(`Ended the grant ${id}`);
      }),
    );
  return grants;
}
