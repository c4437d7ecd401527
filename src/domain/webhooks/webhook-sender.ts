import type { Clock } from '../../lib/clock.ts';
import type { FailureReporter } from '../../lib/failure-log.ts';
import { PrivateAddressError, publicRequest } from '../../lib/net/public-request.ts';
import type { Change, ChangePosition } from '../changes/change.ts';
import type { ChangeFeed } from '../changes/change-feed.ts';
import { AppError } from '../shared/errors.ts';
import type { Stores } from '../shared/stores.ts';
import { toIso } from '../shared/time.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { signedHeaders } from './signature.ts';
import {
  changesPerDelivery,
  type DueWebhook,
  deliveriesKept,
  retryWaitsMs,
  type Webhook,
  type WebhookDelivery,
  type WebhookDirectory,
} from './webhook.ts';
import { newDelivery } from './webhook-service.ts';

/** Time for one message: name, connection, response. */
const timeoutMs = 10_000;
const responseBytesMax = 16_384;
const errorLengthMax = 200;
/** Webhooks that one process serves at a time. */
const sendersMax = 8;
/** Messages to one webhook before others have their turn. */
const messagesPerTurn = 5;
/** Longer than a turn can take; a process that dies leaves its webhook to others after this time. */
const leaseMs = (messagesPerTurn + 1) * timeoutMs * 2;

export interface WebhookSenderDeps {
  readonly stores: Stores;
  readonly directory: WebhookDirectory;
  readonly changes: ChangeFeed;
  readonly clock: Clock;
  readonly failures: FailureReporter;
  readonly allowsPrivate: boolean;
  /** Of the `User-Agent`. */
  readonly version: string;
}

/** For the log, which has no text of users; the deliveries of the webhook tell which message, and why. */
class NotDelivered extends Error {
  readonly code: string;

  constructor(isGivenUp: boolean) {
    super('a message of a webhook did not arrive');
    this.name = 'NotDelivered';
    this.code = isGivenUp ? 'WEBHOOK_GIVEN_UP' : 'WEBHOOK_NOT_DELIVERED';
  }
}

/** The outcome of one try. */
interface Tried {
  readonly status: number | null;
  /** Null: it arrived. */
  readonly error: string | null;
}

/**
 * Makes deliveries of changes and sends those that are due. Every message arrives at least once, in the order of the changes,
 * unless it is given up: a place moves on and its delivery is written in one transaction.
 */
export class WebhookSender {
  readonly #deps: WebhookSenderDeps;

  constructor(deps: WebhookSenderDeps) {
    this.#deps = deps;
  }

  /** Serves all webhooks that are due; the signal ends it, and messages on their way are sent again later. */
  async run(signal: AbortSignal): Promise<void> {
    const due = await this.#deps.directory.due(this.#deps.clock.now(), sendersMax * messagesPerTurn);
    const serve = async () => {
      for (let next = due.shift(); next && !signal.aborted; next = due.shift())
        await this.#serve(next, signal).catch((error: unknown) =>
          this.#deps.failures.failed('webhooks', error),
        );
    };
    await Promise.all(Array.from({ length: sendersMax }, serve));
  }

  async #serve({ user, id }: DueWebhook, signal: AbortSignal): Promise<void> {
    const { stores, clock } = this.#deps;
    const own = stores.forUser(user);
    const now = clock.now();
    if (!(await own.transaction((tx) => tx.webhooks.lease(id, now, now + leaseMs)))) return;
    const webhook = await own.webhooks.find(id);
    if (!webhook) return;
    let place: ChangePosition = webhook;
    try {
      for (let sent = 0; sent < messagesPerTurn && !signal.aborted; sent++) {
        const waiting = await own.webhooks.firstWaiting(id);
        if (waiting && waiting.dueAt > clock.now()) break;
        if (waiting) await this.#send(user, webhook, waiting, signal);
        else {
          const next = await this.#collect(user, webhook, place);
          place = next.place;
          if (!next.hasMade) break;
        }
      }
    } finally {
      const { rev, part } = place;
      await own.transaction((tx) => tx.webhooks.release(id, { rev, part }));
    }
  }

  /** Writes the next changes behind the place as a delivery, if there are some for this webhook. */
  async #collect(
    user: UserRef,
    webhook: Webhook,
    place: ChangePosition,
  ): Promise<{ readonly place: ChangePosition; readonly hasMade: boolean }> {
    const { changes } = this.#deps;
    // Read first: the changes up to it are those of the page.
    const end = await changes.end(user);
    try {
      for (let from = place; ; ) {
        const page = await changes.read(user, from, changesPerDelivery);
        const passing = page.changes.filter((change) => passes(webhook, change));
        if (passing.length > 0) {
          await this.#write(user, webhook, page.next, { type: 'changes', changes: passing });
          return { place: page.next, hasMade: true };
        }
        if (!page.hasMore) return { place: page.changes.length > 0 ? page.next : end, hasMade: false };
        from = page.next;
      }
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'CHANGES_EXPIRED')) throw error;
      // It lagged behind for so long that changes are no longer kept: the receiver reads all again.
      await this.#write(user, webhook, end, { type: 'changes.expired', changes: [] });
      return { place: end, hasMade: true };
    }
  }

  async #write(
    user: UserRef,
    { id }: Webhook,
    { rev, part }: ChangePosition,
    { type, changes }: { readonly type: string; readonly changes: readonly Change[] },
  ): Promise<void> {
    const at = this.#deps.clock.now();
    const named = changes.map(({ kind, action, id: recordId }) => ({ kind, action, id: recordId }));
    const message = { type, timestamp: toIso(at), data: { webhookId: id, changes: named } };
    await this.#deps.stores.forUser(user).transaction(async (tx) => {
      // It may be deleted by now.
      if (!(await tx.webhooks.find(id))) return;
      await tx.webhooks.insertDelivery(newDelivery(id, message, at));
      await tx.webhooks.move(id, { rev, part, dueAt: at });
    });
  }

  async #send(
    user: UserRef,
    webhook: Webhook,
    delivery: WebhookDelivery,
    signal: AbortSignal,
  ): Promise<void> {
    const { stores, clock, failures } = this.#deps;
    const { status, error } = await this.#try(webhook, delivery, signal);
    // The stop of the process ended it: no try of the receiver.
    if (error !== null && signal.aborted) return;
    const at = clock.now();
    const attempts = delivery.attempts + 1;
    const waitMs = retryWaitsMs[attempts - 1];
    const state = error === null ? 'delivered' : waitMs === undefined ? 'dead' : 'waiting';
    const dueAt = at + (state === 'waiting' ? (waitMs ?? 0) : 0);
    await stores.forUser(user).transaction(async (tx) => {
      const outcome = {
        state,
        attempts,
        dueAt,
        lastStatus: status,
        lastError: error,
        updatedAt: at,
      } as const;
      await tx.webhooks.updateDelivery(delivery.id, outcome);
      if (state !== 'waiting') await tx.webhooks.prune(webhook.id, state, deliveriesKept[state]);
    });
    if (error !== null) failures.failed('webhooks', new NotDelivered(state === 'dead'));
  }

  async #try(webhook: Webhook, delivery: WebhookDelivery, signal: AbortSignal): Promise<Tried> {
    const { clock, allowsPrivate, version } = this.#deps;
    try {
      const { status } = await publicRequest({
        method: 'POST',
        url: new URL(webhook.url),
        headers: {
          'content-type': 'application/json',
          'user-agent': `memoryd-webhooks/${version}`,
          ...signedHeaders(webhook, delivery, clock.now()),
        },
        body: delivery.body,
        timeoutMs,
        bytesMax: responseBytesMax,
        allowsPrivate,
        signal,
      });
      return { status, error: status >= 200 && status < 300 ? null : `status ${status}` };
    } catch (error) {
      return { status: null, error: reasonOf(error) };
    }
  }
}

const passes = ({ kinds, actions }: Webhook, { kind, action }: Change): boolean =>
  (kinds === null || kinds.includes(kind)) && (actions === null || actions.includes(action));

/** No text of the receiver, and no address behind a name: a user could read a network with it. */
function reasonOf(error: unknown): string {
  if (error instanceof PrivateAddressError) return 'the address is not on the public Internet';
  const { code, message } = error as NodeJS.ErrnoException;
  return (code ?? message).slice(0, errorLengthMax);
}
