import { setTimeout as delay } from 'node:timers/promises';

/** Asks again every `everyMs` until `probe` gives a value; throws `what` after `deadlineMs`. */
export async function poll<T>(
  what: string,
  probe: () => Promise<T | undefined>,
  deadlineMs = 20_000,
  everyMs = 10,
): Promise<T> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const found = await probe();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`not within ${deadlineMs} ms: ${what}`);
    await delay(everyMs);
  }
}
