import type { ChangeAction, ChangedRecord, ChangePosition } from '../changes/change.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import type { EpochMs } from '../shared/time.ts';
import type { UserRef } from '../shared/user-ref.ts';

/** Webhooks of a user. */
export const webhooksMax = 20;
export const webhookLengthMax = { url: 2000, label: 100 } as const;
/** Changes in one delivery. */
export const changesPerDelivery = 100;
/** Deliveries that are kept of each webhook, the newest: those that arrived, and those that were given up. */
export const deliveriesKept = { delivered: 100, dead: 1000 } as const;
/** Waits after failed tries, in ms: nine hours in all. After the last one a delivery is given up. */
export const retryWaitsMs = [5000, 30_000, 120_000, 600_000, 1_800_000, 7_200_000, 21_600_000] as const;

/** `waiting`: to be sent, or sent again; `dead`: given up, until it is redelivered. */
export const deliveryStates = ['waiting', 'delivered', 'dead'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** An address to which changes of a user are sent, in their order. The list of changes is its queue. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly label: string;
  /** `whsec_` and the key of its signatures in base64. */
  readonly secret: string;
  /** Only changes of these kinds of records; null: of all. */
  readonly kinds: readonly ChangedRecord['kind'][] | null;
  /** Only these changes; null: all. */
  readonly actions: readonly ChangeAction[] | null;
  readonly createdAt: EpochMs;
  /** Place in the list of changes, behind those that became deliveries. */
  readonly rev: number;
  readonly part: number;
  /** When its first waiting delivery is to be sent; null: none waits. */
  readonly dueAt: EpochMs | null;
  /** A process has it until then. */
  readonly leasedUntil: EpochMs;
}

/** A message to the address of a webhook, with the outcome of its last try. */
export interface WebhookDelivery {
  /** Also the `webhook-id` of each of its tries. */
  readonly id: string;
  readonly webhookId: string;
  readonly state: DeliveryState;
  /** The body, as it is sent and signed. */
  readonly body: string;
  readonly attempts: number;
  readonly dueAt: EpochMs;
  /** Status of the last response; null: there was none. */
  readonly lastStatus: number | null;
  /** Reason of the last failure, without the response. */
  readonly lastError: string | null;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
}

export interface DeliveryQuery extends PageRequest {
  readonly state?: DeliveryState;
}

/** Messages that did not arrive: those to be sent, or sent again, and dead letters. */
export interface WebhookBacklog {
  readonly waiting: number;
  readonly dead: number;
  /** When the oldest that waits was made; null: none waits. */
  readonly oldestAt: EpochMs | null;
}

export interface WebhookReader {
  /** The oldest first, at most `webhooksMax`. */
  list(): Promise<Webhook[]>;
  find(id: string): Promise<Webhook | undefined>;
  /** The newest first. */
  listDeliveries(webhookId: string, query: DeliveryQuery): Promise<Page<WebhookDelivery>>;
  findDelivery(webhookId: string, id: string): Promise<WebhookDelivery | undefined>;
  /** Of all webhooks of the user. */
  backlog(): Promise<WebhookBacklog>;
  /** The waiting delivery that is due first. */
  firstWaiting(webhookId: string): Promise<WebhookDelivery | undefined>;
}

export interface WebhookWriter extends WebhookReader {
  insert(webhook: Webhook): Promise<void>;
  /** With its deliveries. @returns false if there is none */
  remove(id: string): Promise<boolean>;
  /** @returns false if another process has it, or it is gone */
  lease(id: string, now: EpochMs, until: EpochMs): Promise<boolean>;
  /** Ends the lease; it is due with its first waiting delivery. */
  release(id: string, place: ChangePosition): Promise<void>;
  /** Moves the place in the list of changes, and has it looked at again at `dueAt`. */
  move(id: string, state: ChangePosition & Pick<Webhook, 'dueAt'>): Promise<void>;
  /** Has it looked at as soon as possible. */
  wake(id: string, now: EpochMs): Promise<void>;
  insertDelivery(delivery: WebhookDelivery): Promise<void>;
  updateDelivery(
    id: string,
    next: Pick<WebhookDelivery, 'state' | 'attempts' | 'dueAt' | 'lastStatus' | 'lastError' | 'updatedAt'>,
  ): Promise<void>;
  /** Removes those in a state but for the newest `keep`. */
  prune(webhookId: string, state: DeliveryState, keep: number): Promise<void>;
}

/** A webhook of any user, for the work in the background. */
export interface DueWebhook {
  readonly user: UserRef;
  readonly id: string;
}

export interface WebhookDirectory {
  /** At most `limit` webhooks without a lease for which a delivery is due, or changes came. */
  due(now: EpochMs, limit: number): Promise<DueWebhook[]>;
  /** Of all users. */
  backlog(): Promise<WebhookBacklog>;
}
