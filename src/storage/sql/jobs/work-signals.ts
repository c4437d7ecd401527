import { EventEmitter } from 'node:events';
import { nextEvent } from '../../../lib/async.ts';

/** Says within the process that work was recorded, and that work of a user was done. */
export class WorkSignals {
  readonly #events = new EventEmitter().setMaxListeners(0);
  #recorded = 0;

  /** How often work was committed. */
  get recorded(): number {
    return this.#recorded;
  }

  /** Work was committed. */
  added(): void {
    this.#recorded++;
    this.#events.emit('added');
  }

  /** Some work of the user was done or put off. */
  done(userId: number): void {
    this.#events.emit(`done ${userId}`);
    this.#events.emit('done');
  }

  /** A back-fill came to its end. */
  filled(): void {
    this.#events.emit('done');
  }

  /** Resolves when work was added since `recorded` was `seen`, after `ms`, or when `signal` aborts. */
  async nextWork(seen: number, ms: number, signal: AbortSignal): Promise<void> {
    if (this.#recorded === seen) await nextEvent(this.#events, 'added', ms, signal);
  }

  /** Resolves when some work is done, after `ms`, or when `signal` aborts. */
  async nextDoneOfAny(ms: number, signal: AbortSignal): Promise<void> {
    await nextEvent(this.#events, 'done', ms, signal);
  }

  /** Resolves when some work of the user is done, after `ms` at most. */
  async nextDone(userId: number, ms: number): Promise<void> {
    await nextEvent(this.#events, `done ${userId}`, ms);
  }
}
