import { assertPublicUrl, PrivateAddressError } from '../../lib/net/public-request.ts';
import { newId } from '../../lib/random.ts';
import type { ChangeAction, ChangedRecord } from '../changes/change.ts';
import { AppError, invalidInput, notFound } from '../shared/errors.ts';
import type { Page } from '../shared/page.ts';
import { toIso } from '../shared/time.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { type KeyedAct, type Write, type WriteDeps, writeAs } from '../shared/write.ts';
import { newSecret } from './signature.ts';
import { type DeliveryQuery, type Webhook, type WebhookDelivery, webhooksMax } from './webhook.ts';

export interface NewWebhook {
  readonly url: string;
  readonly label?: string;
  readonly kinds?: readonly ChangedRecord['kind'][];
  readonly actions?: readonly ChangeAction[];
}

export interface WebhookServiceDeps extends WriteDeps {
  /** Whether webhooks may lead to this machine and to private networks, and to addresses without TLS. */
  readonly allowsPrivate: boolean;
}

/** After all parts of a revision: a new webhook gets later changes only. */
const lastPart = 1_000_000_000;

/** Addresses to which the changes of a user are sent. */
export class WebhookService {
  readonly #deps: WebhookServiceDeps;

  constructor(deps: WebhookServiceDeps) {
    this.#deps = deps;
  }

  /** @throws 422 for an address that is not allowed; 409 if the user has the maximum */
  create(user: UserRef, given: NewWebhook, act?: KeyedAct<Webhook>): Promise<Webhook> {
    const url = this.#checkedUrl(given.url);
    const some = <T>(list: readonly T[] | undefined) => (list && list.length > 0 ? [...new Set(list)] : null);
    const body = async ({ tx, at }: Write) => {
      if ((await tx.webhooks.list()).length >= webhooksMax)
        throw new AppError('WEBHOOKS_TOO_MANY', `A user may have ${webhooksMax} webhooks. Delete one first.`);
      const made: Webhook = {
        id: newId(),
        url,
        label: given.label ?? '',
        secret: newSecret(),
        kinds: some(given.kinds),
        actions: some(given.actions),
        createdAt: at,
        rev: await tx.changes.head(),
        part: lastPart,
        dueAt: null,
        leasedUntil: 0,
      };
      await tx.webhooks.insert(made);
      return made;
    };
    return writeAs(this.#deps, user, body, act);
  }

  #checkedUrl(text: string): string {
    if (!URL.canParse(text)) throw invalidInput('url', 'must be a URL');
    const url = new URL(text);
    const { allowsPrivate } = this.#deps;
    if (url.protocol !== 'https:' && !(allowsPrivate && url.protocol === 'http:'))
      throw invalidInput(
        'url',
        allowsPrivate ? 'must begin with https:// or http://' : 'must begin with https://',
      );
    if (url.username !== '' || url.password !== '')
      throw invalidInput('url', 'must not have a name or password: the receiver knows us by the signature');
    try {
      if (!allowsPrivate) assertPublicUrl(url);
    } catch (error) {
      if (error instanceof PrivateAddressError)
        throw invalidInput('url', 'must not lead to this machine or a private network');
      throw error;
    }
    url.hash = '';
    return url.href;
  }

  list(user: UserRef): Promise<Webhook[]> {
    return this.#deps.stores.forUser(user).webhooks.list();
  }

  /** @throws 404 */
  async get(user: UserRef, id: string): Promise<Webhook> {
    const found = await this.#deps.stores.forUser(user).webhooks.find(id);
    if (!found) throw notFound('webhook');
    return found;
  }

  /** With its deliveries, also those that wait. @throws 404 */
  async remove(user: UserRef, id: string): Promise<void> {
    const isRemoved = await writeAs(this.#deps, user, ({ tx }) => tx.webhooks.remove(id));
    if (!isRemoved) throw notFound('webhook');
  }

  /** @returns a delivery of no changes, which is sent within a second or two. @throws 404 */
  test(user: UserRef, id: string, act?: KeyedAct<WebhookDelivery>): Promise<WebhookDelivery> {
    const body = async ({ tx, at }: Write) => {
      if (!(await tx.webhooks.find(id))) throw notFound('webhook');
      const made = newDelivery(id, { type: 'ping', timestamp: toIso(at), data: { webhookId: id } }, at);
      await tx.webhooks.insertDelivery(made);
      await tx.webhooks.wake(id, at);
      return made;
    };
    return writeAs(this.#deps, user, body, act);
  }

  /** @throws 404 */
  async listDeliveries(user: UserRef, id: string, query: DeliveryQuery): Promise<Page<WebhookDelivery>> {
    await this.get(user, id);
    return this.#deps.stores.forUser(user).webhooks.listDeliveries(id, query);
  }

  /** Sends it again, with all its tries; one that waits is sent now. @throws 404 */
  redeliver(
    user: UserRef,
    id: string,
    deliveryId: string,
    act?: KeyedAct<WebhookDelivery>,
  ): Promise<WebhookDelivery> {
    const body = async ({ tx, at }: Write) => {
      const found = await tx.webhooks.findDelivery(id, deliveryId);
      if (!found) throw notFound('delivery');
      const next = { ...found, state: 'waiting', attempts: 0, dueAt: at, updatedAt: at } as const;
      await tx.webhooks.updateDelivery(deliveryId, next);
      await tx.webhooks.wake(id, at);
      return next;
    };
    return writeAs(this.#deps, user, body, act);
  }
}

/** A delivery that is due now. */
export function newDelivery(webhookId: string, message: object, at: number): WebhookDelivery {
  return {
    id: `msg_${newId()}`,
    webhookId,
    state: 'waiting',
    body: JSON.stringify(message),
    attempts: 0,
    dueAt: at,
    lastStatus: null,
    lastError: null,
    createdAt: at,
    updatedAt: at,
  };
}
