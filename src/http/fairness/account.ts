import type { WaitingRequest } from './fair-turns.ts';

/** Work of the requests that one user has running while others compete, in ms. */
const runningMs = 20;
const runningMax = 64;
/** Of them reads: what the first of them cost is known when it ends, and by then the others run. */
const runningReadsMax = 4;
/** The cost that a user's requests are taken to have falls to its half in this time. */
const halfLifeMs = 2000;
/** A read that took this long counts as 1 ms of work: it may have kept a connection to the database busy. */
const elapsedPerWork = 20;

/** What one user has been given, and what waits. */
export class Account {
  readonly queue = new Set<WaitingRequest>();
  running = 0;
  runningReads = 0;
  /** Time of the event loop given to the user, in ms; comparable between users. */
  work = 0;
  /** Cost of the dearest request of late, in ms, as it was at `#dearestAt`. */
  #dearest = 0;
  #dearestAt = 0;

  get isIdle(): boolean {
    return this.running === 0 && this.queue.size === 0;
  }

  /** Time in which nothing was asked for is not saved up. */
  activate(level: number): void {
    if (this.isIdle && this.work < level) this.work = level;
  }

  charge(ms: number, now: number): void {
    this.work += ms;
    this.#noteCost(ms, now);
  }

  noteElapsed(ms: number, now: number): void {
    this.#noteCost(ms / elapsedPerWork, now);
  }

  /** Whether one more may run while others compete. */
  mayRun({ isRead }: WaitingRequest, now: number): boolean {
    if (isRead && this.runningReads >= runningReadsMax) return false;
    return this.running < runningMax && this.running * this.#costAt(now) < runningMs;
  }

  #costAt(now: number): number {
    return this.#dearest * 2 ** (-(now - this.#dearestAt) / halfLifeMs);
  }

  // The dearest and not the mean: cheap requests between dear ones would make room for many dear ones at once.
  #noteCost(ms: number, now: number): void {
    if (ms <= this.#costAt(now)) return;
    this.#dearest = ms;
    this.#dearestAt = now;
  }
}
