import { sql } from 'kysely';
import type { ChangePosition } from '../../../domain/changes/change.ts';
import type { Page } from '../../../domain/shared/page.ts';
import {
  type DeliveryQuery,
  type DeliveryState,
  type Webhook,
  type WebhookBacklog,
  type WebhookDelivery,
  type WebhookReader,
  type WebhookWriter,
  webhooksMax,
} from '../../../domain/webhooks/webhook.ts';
import { pageOf, type SortColumn } from '../core/page-of.ts';
import { type Columns, RecordColumns } from '../core/record-columns.ts';
import { UserRecords } from '../core/user-database.ts';

const webhookColumns = {
  id: 'webhooks.id',
  url: 'webhooks.url',
  label: 'webhooks.label',
  secret: 'webhooks.secret',
  kinds: { json: 'webhooks.kinds' },
  actions: { json: 'webhooks.actions' },
  createdAt: 'webhooks.created_at',
  rev: 'webhooks.rev',
  part: 'webhooks.part',
  dueAt: 'webhooks.due_at',
  leasedUntil: 'webhooks.leased_until',
} as const satisfies Columns<Webhook>;
const webhookRecord = new RecordColumns<Webhook, typeof webhookColumns>(webhookColumns);

const deliveryColumns = {
  id: 'webhook_deliveries.id',
  webhookId: 'webhook_deliveries.webhook_id',
  state: 'webhook_deliveries.state',
  body: 'webhook_deliveries.body',
  attempts: 'webhook_deliveries.attempts',
  dueAt: 'webhook_deliveries.due_at',
  lastStatus: 'webhook_deliveries.last_status',
  lastError: 'webhook_deliveries.last_error',
  createdAt: 'webhook_deliveries.created_at',
  updatedAt: 'webhook_deliveries.updated_at',
} as const satisfies Columns<WebhookDelivery>;
const deliveryRecord = new RecordColumns<WebhookDelivery, typeof deliveryColumns>(deliveryColumns);

const newestFirst: readonly SortColumn[] = [
  { column: 'webhook_deliveries.created_at', order: 'desc', part: 'integer' },
  { column: 'webhook_deliveries.id', order: 'asc', part: 'text' },
];

interface BacklogRow {
  readonly state: string;
  readonly count: number;
  readonly oldest: number;
}

/** For one user or all. */
export const backlogColumns = [
  'webhook_deliveries.state',
  sql<number>`count(*)`.as('count'),
  sql<number>`min(webhook_deliveries.created_at)`.as('oldest'),
] as const;
export const backlogStates: readonly DeliveryState[] = ['waiting', 'dead'];

export function toBacklog(rows: readonly BacklogRow[]): WebhookBacklog {
  const [waiting, dead] = backlogStates.map((state) => rows.find((row) => row.state === state));
  return { waiting: waiting?.count ?? 0, dead: dead?.count ?? 0, oldestAt: waiting?.oldest ?? null };
}

export class SqlWebhookReader extends UserRecords implements WebhookReader {
  async list(): Promise<Webhook[]> {
    const rows = await this.db.tables
      .selectFrom('webhooks')
      .select(webhookRecord.selection)
      .orderBy('webhooks.created_at')
      .orderBy('webhooks.id')
      .limit(webhooksMax)
      .execute();
    return rows.map((row) => webhookRecord.decode(row));
  }

  async find(id: string): Promise<Webhook | undefined> {
    const row = await this.db.tables
      .selectFrom('webhooks')
      .select(webhookRecord.selection)
      .where('webhooks.id', '=', id)
      .executeTakeFirst();
    return row && webhookRecord.decode(row);
  }

  async listDeliveries(webhookId: string, query: DeliveryQuery): Promise<Page<WebhookDelivery>> {
    const all = this.#deliveriesOf(webhookId);
    const rows = query.state === undefined ? all : all.where('webhook_deliveries.state', '=', query.state);
    const read = rows.select(deliveryRecord.selection);
    const page = await pageOf(rows, read, { by: newestFirst, request: query });
    return { ...page, items: page.items.map((row) => deliveryRecord.decode(row)) };
  }

  async findDelivery(webhookId: string, id: string): Promise<WebhookDelivery | undefined> {
    const row = await this.#deliveriesOf(webhookId)
      .select(deliveryRecord.selection)
      .where('webhook_deliveries.id', '=', id)
      .executeTakeFirst();
    return row && deliveryRecord.decode(row);
  }

  async firstWaiting(webhookId: string): Promise<WebhookDelivery | undefined> {
    const row = await this.#deliveriesOf(webhookId)
      .select(deliveryRecord.selection)
      .where('webhook_deliveries.state', '=', 'waiting')
      .orderBy('webhook_deliveries.due_at')
      .orderBy('webhook_deliveries.created_at')
      .orderBy('webhook_deliveries.id')
      .limit(1)
      .executeTakeFirst();
    return row && deliveryRecord.decode(row);
  }

  async backlog(): Promise<WebhookBacklog> {
    const rows = await this.db.tables
      .selectFrom('webhook_deliveries')
      .select(backlogColumns)
      .where('webhook_deliveries.state', 'in', backlogStates)
      .groupBy('webhook_deliveries.state')
      .execute();
    return toBacklog(rows);
  }

  #deliveriesOf(webhookId: string) {
    return this.db.tables
      .selectFrom('webhook_deliveries')
      .where('webhook_deliveries.webhook_id', '=', webhookId);
  }
}

export class SqlWebhookWriter extends SqlWebhookReader implements WebhookWriter {
  async insert(webhook: Webhook): Promise<void> {
    await this.db.tables.insertInto('webhooks', webhookRecord.toTableRow(webhook)).execute();
  }

  async remove(id: string): Promise<boolean> {
    await this.db.tables.deleteFrom('webhook_deliveries').where('webhook_id', '=', id).execute();
    const { numDeletedRows } = await this.db.tables
      .deleteFrom('webhooks')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return numDeletedRows > 0n;
  }

  async lease(id: string, now: number, until: number): Promise<boolean> {
    const { numUpdatedRows } = await this.db.tables
      .updateTable('webhooks')
      .set({ leased_until: until })
      .where('id', '=', id)
      .where('leased_until', '<=', now)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  }

  async release(id: string, { rev, part }: ChangePosition): Promise<void> {
    // Locks the row first: who adds a delivery now has written it before the next read, or wakes the webhook after us.
    const left = { rev, part, leased_until: 0 };
    await this.db.tables.updateTable('webhooks').set(left).where('id', '=', id).execute();
    const dueAt = (await this.firstWaiting(id))?.dueAt ?? null;
    await this.db.tables.updateTable('webhooks').set({ due_at: dueAt }).where('id', '=', id).execute();
  }

  async move(id: string, { rev, part, dueAt }: ChangePosition & Pick<Webhook, 'dueAt'>): Promise<void> {
    await this.db.tables
      .updateTable('webhooks')
      .set({ rev, part, due_at: dueAt })
      .where('id', '=', id)
      .execute();
  }

  async wake(id: string, now: number): Promise<void> {
    await this.db.tables.updateTable('webhooks').set({ due_at: now }).where('id', '=', id).execute();
  }

  async insertDelivery(delivery: WebhookDelivery): Promise<void> {
    await this.db.tables.insertInto('webhook_deliveries', deliveryRecord.toTableRow(delivery)).execute();
  }

  async updateDelivery(
    id: string,
    next: Pick<WebhookDelivery, 'state' | 'attempts' | 'dueAt' | 'lastStatus' | 'lastError' | 'updatedAt'>,
  ): Promise<void> {
    await this.db.tables
      .updateTable('webhook_deliveries')
      .set({
        state: next.state,
        attempts: next.attempts,
        due_at: next.dueAt,
        last_status: next.lastStatus,
        last_error: next.lastError,
        updated_at: next.updatedAt,
      })
      .where('id', '=', id)
      .execute();
  }

  async prune(webhookId: string, state: DeliveryState, keep: number): Promise<void> {
    const beyond = await this.db.tables
      .selectFrom('webhook_deliveries')
      .select('webhook_deliveries.id')
      .where('webhook_deliveries.webhook_id', '=', webhookId)
      .where('webhook_deliveries.state', '=', state)
      .orderBy('webhook_deliveries.created_at', 'desc')
      .orderBy('webhook_deliveries.id')
      .limit(keep)
      .offset(keep)
      .execute();
    if (beyond.length === 0) return;
    const ids = beyond.map(({ id }) => id);
    await this.db.tables.deleteFrom('webhook_deliveries').where('id', 'in', ids).execute();
  }
}
