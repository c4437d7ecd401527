import { LRUCache } from 'lru-cache';
import { AppError } from '../../domain/shared/errors.ts';

const windowMs = 60_000;
const namesMax = 10_000;
const failuresMax = 30;
const strangersMax = 300;

/**
 * Counts events by a name, in windows of a minute that begin with an event. Of more
 * names than 10,000, it forgets those whose last event is longest ago.
 */
class MinuteCounter {
  readonly #windows = new LRUCache<string, { count: number; readonly until: number }>({ max: namesMax });

  /** Whether the next event of this name is beyond the limit. */
  isOver(name: string, limit: number): boolean {
    return (this.#current(name)?.count ?? 0) >= limit;
  }

  /** @throws 429 with this message, if the window has more events than the limit */
  note(name: string, limit: number, message: string): void {
    const known = this.#current(name);
    const window = known ?? { count: 0, until: performance.now() + windowMs };
    if (!known) this.#windows.set(name, window);
    window.count++;
    if (window.count <= limit) return;
    const retryAfter = Math.max(1, Math.ceil((window.until - performance.now()) / 1000));
    throw new AppError('RATE_LIMITED', message, { retryAfter });
  }

  #current(name: string) {
    const window = this.#windows.get(name);
    // Monotonic: a wall clock set back by a week would throttle for a week.
    return window && window.until > performance.now() ? window : undefined;
  }
}

/** Limits a minute: failed authentications of an address, its requests without a key, and requests of a key with a limit. */
export class RateLimits {
  readonly #failures = new MinuteCounter();
  readonly #strangers = new MinuteCounter();
  readonly #uses = new MinuteCounter();

  /** Whether the address failed too often: its keys are then looked up by `authenticateThrottled`. */
  isThrottled(address: string): boolean {
    return this.#failures.isOver(address, failuresMax);
  }

  /** @throws 429 if the address has failed too often */
  noteFailure(address: string): void {
    this.#failures.note(address, failuresMax, 'Too many failed authentications from this address.');
  }

  /** Counts a request without a key. @throws 429 if the address made too many */
  noteStranger(address: string): void {
    this.#strangers.note(address, strangersMax, 'Too many requests from this address.');
  }

  /** @throws 429 if the key has reached its limit */
  noteUse(keyId: string, limit: number): void {
    this.#uses.note(keyId, limit, `This key may make ${limit} requests a minute.`);
  }
}
