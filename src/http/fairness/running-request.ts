import type { Account } from './account.ts';

/** The callbacks by which a running request reports to `FairTurns`. */
export interface Meter {
  /** ms. */
  now(): number;
  /** Whether the work of the user's request is timed at present. */
  isTiming(account: Account): boolean;
  ended(account: Account): void;
}

/** A running request. */
export class RunningRequest {
  readonly #account: Account;
  readonly #meter: Meter;
  readonly #isRead: boolean;
  readonly #since: number;
  #isRunning = true;

  constructor(account: Account, meter: Meter, isRead: boolean) {
    this.#account = account;
    this.#meter = meter;
    this.#isRead = isRead;
    this.#since = meter.now();
    account.running++;
    if (isRead) account.runningReads++;
  }

  /** Adds the work of a response before it is written, in ms. */
  charge(ms: number): void {
    this.#account.noteResponse(ms, this.#meter.isTiming(this.#account), this.#meter.now());
  }

  /** May be called more than once. */
  end(): void {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    this.#account.running--;
    const now = this.#meter.now();
    if (this.#isRead) {
      this.#account.runningReads--;
      this.#account.noteElapsed(now - this.#since, now);
    }
    this.#meter.ended(this.#account);
  }
}
