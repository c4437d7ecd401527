import { setTimeout as wait } from 'node:timers/promises';
import { Command, Option } from 'commander';
import type { Static } from 'typebox';
import { changeActions, changeKinds } from '../../domain/changes/change.ts';
import { deliveryStates } from '../../domain/webhooks/webhook.ts';
import type { DeliverySchema, WebhookSchema } from '../../http/routes/webhooks/webhooks.ts';
import { type Listed, printListed } from '../client/listing.ts';
import {
  type AskOptions,
  collect,
  type PageOptions,
  pagedCommand,
  RefusedError,
  Service,
  serviceCommand,
} from '../client/service.ts';
import { showTime } from '../output/local-time.ts';
import { type Column, print, printJson, printList } from '../output/print.ts';
import { note } from '../output/terminal.ts';
import { printableLine } from '../output/text.ts';

type WebhookRecord = Static<typeof WebhookSchema>;
type DeliveryRecord = Static<typeof DeliverySchema>;

interface CreateOptions extends AskOptions {
  readonly label?: string;
  readonly kind?: readonly string[];
  readonly action?: readonly string[];
}

const deliveriesDefault = 20;
/** For the outcome of a test: a deadline of the receiver is 10 s. */
const testWaitMs = 20_000;
const pollMs = 500;

const webhookColumns: readonly Column<WebhookRecord>[] = [
  { heading: 'ID', valueIn: ({ id }) => id, format: 'yellow' },
  { heading: 'URL', valueIn: ({ url }) => printableLine(url) },
  { heading: 'LABEL', valueIn: ({ label }) => printableLine(label) },
  { heading: 'KINDS', valueIn: ({ kinds }) => kinds?.join(', ') ?? 'all' },
  { heading: 'ACTIONS', valueIn: ({ actions }) => actions?.join(', ') ?? 'all' },
];
const deliveryColumns: readonly Column<DeliveryRecord>[] = [
  { heading: 'ID', valueIn: ({ id }) => id, format: 'yellow' },
  { heading: 'STATE', valueIn: ({ state }) => state },
  { heading: 'TRIES', valueIn: ({ attempts }) => attempts, align: 'right' },
  { heading: 'LAST ERROR', valueIn: ({ lastError = '' }) => printableLine(lastError) },
  { heading: 'MADE', valueIn: ({ createdAt }) => showTime(createdAt), format: 'dim' },
];

function createCommand(): Command {
  return serviceCommand('create')
    .description('have changes sent to an address, and print the secret of its signatures')
    .argument('<url>', 'with https, on the public Internet')
    .option('--label <text>', 'a name for it')
    .addOption(
      new Option('--kind <kind>', 'only changes of these records; several times')
        .choices(changeKinds)
        .argParser(collect),
    )
    .addOption(
      new Option('--action <action>', 'only these changes; several times')
        .choices(changeActions)
        .argParser(collect),
    )
    .action(async (url: string, options: CreateOptions) => {
      const { label, kind: kinds, action: actions } = options;
      const request = { path: '/api/webhooks', body: { url, label, kinds, actions } };
      const { body } = await new Service(options).ask(request);
      if (options.json) return printJson(body);
      const { id, secret } = body.data as WebhookRecord & { readonly secret: string };
      print(`${id}  ${secret}`);
      note('The second is the secret of its signatures (docs/webhooks.md).');
    });
}

function listCommand(): Command {
  return serviceCommand('list')
    .description('list them')
    .action(async (options: AskOptions) => {
      const body = await new Service(options).get<{ data: readonly WebhookRecord[] }>('/api/webhooks');
      const none = 'There are no webhooks.';
      printList({ items: body.data, columns: webhookColumns, none, json: options.json && body });
    });
}

function deleteCommand(): Command {
  return serviceCommand('delete')
    .description('delete one with its deliveries')
    .argument('<id>', 'as `webhooks list` shows it')
    .action(async (id: string, options: AskOptions) => {
      await new Service(options).ask({ method: 'DELETE', path: pathOf(id) });
      if (options.json) printJson({ data: { id } });
      else print(`Deleted ${id}.`);
    });
}

const pathOf = (id: string) => `/api/webhooks/${encodeURIComponent(id)}`;

function testCommand(): Command {
  return serviceCommand('test')
    .description('send a message of no changes, and say how it went')
    .argument('<id>', 'as `webhooks list` shows it')
    .action(async (id: string, options: AskOptions) => {
      const service = new Service(options);
      const { body } = await service.ask({ method: 'POST', path: `${pathOf(id)}/test`, body: {} });
      const sent = await outcomeOf(service, id, body.data as DeliveryRecord);
      if (options.json) printJson({ data: sent });
      else
        print(
          sent.state === 'delivered'
            ? `It arrived (${sent.lastStatus}).`
            : `It did not arrive: ${sent.lastError ?? 'no try was made yet'}.`,
        );
      if (sent.state !== 'delivered') process.exitCode = 1;
    });
}

/** The delivery after its first try; as it is if there was none in time. */
async function outcomeOf(service: Service, id: string, made: DeliveryRecord): Promise<DeliveryRecord> {
  for (const end = Date.now() + testWaitMs; Date.now() < end; await wait(pollMs)) {
    const { data } = await service.get<{ data: DeliveryRecord[] }>(`${pathOf(id)}/deliveries`, { limit: 20 });
    const found = data.find((one) => one.id === made.id);
    if (found && found.attempts > 0) return found;
  }
  return made;
}

interface DeliveriesOptions extends PageOptions {
  readonly state?: string;
}

function deliveriesCommand(): Command {
  return pagedCommand('deliveries', deliveriesDefault)
    .description('list what was sent, what waits and what was given up')
    .argument('<id>', 'as `webhooks list` shows it')
    .addOption(new Option('--state <state>', 'only those in this state').choices(deliveryStates))
    .action(async (id: string, options: DeliveriesOptions) => {
      const { limit, offset, state } = options;
      const path = `${pathOf(id)}/deliveries`;
      const page = await new Service(options).get<Listed<DeliveryRecord>>(path, { limit, offset, state });
      printListed(page, { columns: deliveryColumns, none: 'There are none.' }, options);
    });
}

function redeliverCommand(): Command {
  return serviceCommand('redeliver')
    .description('send messages again: those named, or all that were given up')
    .argument('<id>', 'as `webhooks list` shows it')
    .argument('[delivery...]', 'as `webhooks deliveries` shows them')
    .action(async (id: string, given: readonly string[], options: AskOptions) => {
      const service = new Service(options);
      const ids = given.length > 0 ? given : await deadOf(service, id);
      for (const delivery of ids) {
        const path = `${pathOf(id)}/deliveries/${encodeURIComponent(delivery)}/redeliver`;
        await service.ask({ method: 'POST', path, body: {} }).catch((error: unknown) => {
          // Given up ones may be pruned between the list and this.
          if (given.length > 0 || !(error instanceof RefusedError && error.status === 404)) throw error;
        });
      }
      if (options.json) printJson({ data: { redelivered: ids } });
      else print(`Sent again: ${ids.length}.`);
    });
}

interface DeadPage extends Listed<DeliveryRecord> {
  readonly pagination: { readonly count: number; readonly nextCursor?: string };
}

/** The oldest first, in the order of the changes. */
async function deadOf(service: Service, id: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const query = { state: 'dead', limit: 100, cursor };
    const page = await service.get<DeadPage>(`${pathOf(id)}/deliveries`, query);
    ids.push(...page.data.map((one) => one.id));
    cursor = page.pagination.nextCursor;
    if (cursor === undefined) return ids.reverse();
  }
}

/** `memoryd webhooks` */
export function webhooksCommand(): Command {
  const command = new Command('webhooks');
  const commands = [
    createCommand,
    listCommand,
    testCommand,
    deliveriesCommand,
    redeliverCommand,
    deleteCommand,
  ];
  for (const make of commands) command.addCommand(make());
  return command;
}
