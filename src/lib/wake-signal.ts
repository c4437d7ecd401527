import { EventEmitter, once } from 'node:events';

/** Resolves at the event, after `ms`, or when `signal` aborts. */
export async function nextEvent(
  events: EventEmitter,
  name: string,
  ms: number,
  signal?: AbortSignal,
): Promise<void> {
  const end = AbortSignal.timeout(ms);
  // It rejects at the end of the time or of the work: the wait is over then too.
  await once(events, name, { signal: signal ? AbortSignal.any([end, signal]) : end }).catch(() => undefined);
}

/** Wakes a task that waits for work. */
export class WakeSignal {
  readonly #events = new EventEmitter();
  #isSet = false;

  set(): void {
    this.#isSet = true;
    this.#events.emit('set');
  }

  /** Resolves once it is set, or was since the last call; also after `ms`, or when `signal` aborts. */
  async next(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isSet) await nextEvent(this.#events, 'set', ms, signal);
    this.#isSet = false;
  }
}
