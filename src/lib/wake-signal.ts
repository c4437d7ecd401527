import { EventEmitter, once } from 'node:events';

/** Resolves at the event, after `ms`, or when `signal` aborts. */
export async function nextEvent(
  events: EventEmitter,
  name: string,
  ms: number,
  signal?: AbortSignal,
): Promise<void> {
  const end = AbortSignal.timeout(ms);
  // It rejects where the time is over or the work ends: both are what is waited for.
  await once(events, name, { signal: signal ? AbortSignal.any([end, signal]) : end }).catch(() => undefined);
}

/** Wakes the one piece of work that waits for something to do. */
export class WakeSignal {
  readonly #events = new EventEmitter();
  #isSet = false;

  set(): void {
    this.#isSet = true;
    this.#events.emit('set');
  }

  /** Resolves when it was set since the last call, after `ms`, or when `signal` aborts. */
  async next(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isSet) await nextEvent(this.#events, 'set', ms, signal);
    this.#isSet = false;
  }
}
