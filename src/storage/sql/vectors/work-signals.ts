import { EventEmitter, once } from 'node:events';

/** Tells within the process that work was recorded, and that work of a user was done. */
export class WorkSignals {
  readonly #events = new EventEmitter().setMaxListeners(0);
  #isNoted = false;

  /** Work was committed. */
  added(): void {
    this.#isNoted = true;
    this.#events.emit('added');
  }

  /** Some work of the user was done or put off. */
  done(userId: number): void {
    this.#events.emit(`done ${userId}`);
    this.#events.emit('done');
  }

  /** Resolves when work was added since the last call, after `ms`, or when `signal` aborts. */
  async nextWork(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isNoted) await within(this.#events, 'added', ms, signal);
    this.#isNoted = false;
  }

  /** Resolves when some work is done, after `ms`, or when `signal` aborts. */
  async nextDoneOfAny(ms: number, signal: AbortSignal): Promise<void> {
    await within(this.#events, 'done', ms, signal);
  }

  /** Resolves when some work of the user is done, after `ms` at the latest. */
  async nextDone(userId: number, ms: number): Promise<void> {
    await within(this.#events, `done ${userId}`, ms);
  }
}

async function within(events: EventEmitter, name: string, ms: number, signal?: AbortSignal): Promise<void> {
  const end = AbortSignal.timeout(ms);
  // It rejects where the time is over or the work ends: both are what is waited for.
  await once(events, name, { signal: signal ? AbortSignal.any([end, signal]) : end }).catch(() => undefined);
}
