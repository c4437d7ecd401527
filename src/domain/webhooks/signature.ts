import { createHmac, randomBytes } from 'node:crypto';
import type { EpochMs } from '../shared/time.ts';
import type { Webhook, WebhookDelivery } from './webhook.ts';

const prefix = 'whsec_';
const secretBytes = 32;

export const newSecret = (): string => prefix + randomBytes(secretBytes).toString('base64');

/**
 * Headers by which a receiver knows that a message is ours, of this time and unchanged: the symmetric scheme of
 * Standard Webhooks (github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md), which is HMAC of
 * node:crypto; its package for npm would bring two implementations of SHA-256 and base64 along.
 */
export function signedHeaders(
  { secret }: Pick<Webhook, 'secret'>,
  { id, body }: Pick<WebhookDelivery, 'id' | 'body'>,
  now: EpochMs,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(now / 1000));
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}
