import { Memnexus } from '@memnexus-ai/typescript-sdk';
import type { Server } from './server.ts';

/**
 * The public SDK, which answers 503 of a busy machine by asking again. It also asks again after every error that it
 * throws, a 404 too, whatever `httpCodesToRetry` says: so the waits are short, 0.6 s in all.
 */
export function sdkOf({ url, key }: Pick<Server, 'url' | 'key'>): Memnexus {
  const retry = { attempts: 5, delayMs: 40, maxDelayMs: 400, jitterMs: 10, httpCodesToRetry: [503] };
  return new Memnexus({ baseUrl: url, token: key, retry });
}
