import { LinkedList } from '../../lib/linked-list.ts';
import { Account } from './account.ts';
import { type Meter, RunningRequest } from './running-request.ts';
import type { WaitingRequest } from './waiting-requests.ts';

/** Work of requests that may begin in one turn of the event loop, in ms; what comes after waits for the next turn. */
const turnMs = 8;
/** Two users are seen as competing for this long after both asked for something. */
const contentionMs = 2000;
/** Accounts of idle users are dropped when there are more than this. */
const accountsMax = 1024;

/**
 * Shares the event loop between users by time. Requests begin at once while a turn of the loop has room for them;
 * the others wait, and of those that wait the one begins whose user has been given the least time. So a user with one
 * request never waits for more than the piece of work that is running, however many requests others have sent.
 *
 * Each also has no more requests running than cost some work together, a third of it while users compete: `Account`.
 */
export class FairTurns {
  readonly #now: () => number;
  readonly #meter: Meter;
  readonly #accounts = new Map<number, Account>();
  /** Accounts with requests that wait or run. */
  readonly #busy = new LinkedList<Account>();
  #waiting = 0;
  /** Start of the present turn; undefined until something begins in it. */
  #turnStart: number | undefined;
  #isPumping = false;
  #measured: { readonly account: Account; readonly since: number } | undefined;
  /** Time given to the user whose request began last: a user who comes back starts from there. */
  #level = 0;
  #lastUser = 0;
  #lastAt = Number.NEGATIVE_INFINITY;
  #contendedUntil = Number.NEGATIVE_INFINITY;

  /** @param now a clock in ms that never runs backwards */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#meter = {
      now,
      isTiming: (account) => this.#measured?.account === account,
      ended: (account) => {
        this.#isContended(now());
        this.#leaveIfIdle(account);
        if (this.#waiting > 0) this.#pumpLater();
      },
    };
  }

  /** Requests that have yet to begin. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Begins the request now or later; where later, returns what takes it out of the queue when its client went away. */
  add(userId: number, request: WaitingRequest): (() => void) | undefined {
    const account = this.#accountOf(userId);
    this.#noteContention(userId);
    account.activate(this.#level);
    account.busy ??= this.#busy.add(account);
    if (this.#waiting === 0 && this.#hasRoom() && this.#mayRun(account, request)) {
      this.#begin(account, request);
      return undefined;
    }
    account.queue.add(request);
    this.#waiting++;
    this.#pumpLater();
    return () => {
      if (account.queue.delete(request)) this.#waiting--;
      this.#leaveIfIdle(account);
    };
  }

  #leaveIfIdle(account: Account): void {
    if (!account.isIdle || !account.busy) return;
    this.#busy.remove(account.busy);
    account.busy = undefined;
  }

  #accountOf(userId: number): Account {
    let account = this.#accounts.get(userId);
    if (!account) {
      if (this.#accounts.size >= accountsMax) this.#dropIdle();
      account = new Account();
      this.#accounts.set(userId, account);
    }
    return account;
  }

  #dropIdle(): void {
    for (const [userId, account] of this.#accounts) if (account.isIdle) this.#accounts.delete(userId);
  }

  #noteContention(userId: number): void {
    const now = this.#now();
    if (userId !== this.#lastUser && now - this.#lastAt < contentionMs)
      this.#contendedUntil = now + contentionMs;
    this.#lastUser = userId;
    this.#lastAt = now;
  }

  /** A user who waits for long competes all the while, and for 2 s after. */
  #isContended(now: number): boolean {
    if (this.#busy.size > 1) this.#contendedUntil = now + contentionMs;
    return now <= this.#contendedUntil;
  }

  #mayRun(account: Account, request: WaitingRequest): boolean {
    const now = this.#now();
    return account.mayRun(request, this.#isContended(now), now);
  }

  #hasRoom(): boolean {
    const now = this.#now();
    if (this.#turnStart === undefined) {
      this.#turnStart = now;
      if (!this.#isPumping) setImmediate(this.#endTurn);
    }
    return now - this.#turnStart < turnMs;
  }

  readonly #endTurn = () => {
    if (!this.#isPumping) this.#turnStart = undefined;
  };

  #begin(account: Account, request: WaitingRequest): void {
    this.#endMeasure();
    this.#level = Math.max(this.#level, account.work);
    const measured = { account, since: this.#now() };
    this.#measured = measured;
    // A tick asked for by a microtask comes when no microtask is left: after all that the request does without waiting.
    queueMicrotask(() =>
      process.nextTick(() => {
        if (this.#measured === measured) this.#endMeasure();
      }),
    );
    request.begin(new RunningRequest(account, this.#meter, request.isRead));
  }

  #endMeasure(): void {
    if (!this.#measured) return;
    const { account, since } = this.#measured;
    this.#measured = undefined;
    const now = this.#now();
    account.noteTimed(now - since, now);
  }

  #pumpLater(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    setImmediate(this.#pump);
  }

  readonly #pump = () => {
    this.#turnStart = undefined;
    this.#beginNext();
  };

  /** Begins what waits, one after the other, until the turn is full. */
  readonly #beginNext = () => {
    const next = this.#hasRoom() ? this.#leastServed() : undefined;
    const request = next?.queue.next;
    if (!next || !request) {
      this.#isPumping = false;
      if (this.#waiting > 0 && this.#isAnyAllowed()) this.#pumpLater();
      else setImmediate(this.#endTurn);
      return;
    }
    next.queue.take(request);
    this.#waiting--;
    this.#begin(next, request);
    queueMicrotask(() => process.nextTick(this.#beginNext));
  };

  #leastServed(): Account | undefined {
    let best: Account | undefined;
    for (const account of this.#busy) {
      const request = account.queue.next;
      if (request && (!best || account.work < best.work) && this.#mayRun(account, request)) best = account;
    }
    return best;
  }

  #isAnyAllowed(): boolean {
    return this.#leastServed() !== undefined;
  }
}
