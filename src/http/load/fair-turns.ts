import { LinkedList } from '../../lib/collections.ts';
import { charge, endCharge, payerNow } from '../../lib/loop-time.ts';
import { Account, type Meter, RunningRequest, sumOfAll, type WaitingRequest } from './user-account.ts';

/**
 * Work of requests that may begin in one turn of the event
 * loop, in ms; further requests wait for the next turn.
 */
const turnMs = 8;
/** Two users compete for this long after both sent requests. */
const contentionMs = 2000;
/**
 * If requests took less than this share of the recent time of the loop, they are not the reason for its lag.
 */
const requestsShareMin = 0.25;
/** Accounts of idle users are dropped when there are more than this. */
const accountsMax = 1024;

/**
 * Shares the event loop between users by time. Requests begin at once while the turn of the loop
 * has room. Otherwise they wait, and the user with the least used time is next. So a user with one
 * request waits at most for the running piece of work, however many requests others have sent.
 *
 * The running requests of each user are limited by their estimated
 * work; the limit is a third while users compete: see `Account`.
 */
export class FairTurns {
  readonly #now: () => number;
  readonly #meter: Meter;
  readonly #accounts = new Map<number, Account>();
  /** Accounts with waiting or running requests. */
  readonly #busy = new LinkedList<Account>();
  #waiting = 0;
  /** Start of the current turn; undefined until a request begins in it. */
  #turnStart: number | undefined;
  #isPumping = false;
  /** Used time of the user whose request began last: a returning user starts from it. */
  #level = 0;
  #lastUser = 0;
  #lastAt = Number.NEGATIVE_INFINITY;
  #contendedUntil = Number.NEGATIVE_INFINITY;

  /** @param now a clock in ms that never runs backwards */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#meter = {
      now,
      isTiming: (account) => payerNow() === account,
      ended: (account) => {
        this.#isContended(now());
        this.#leaveIfIdle(account);
        if (this.#waiting > 0) this.#pumpLater();
      },
    };
  }

  /** Number of requests that wait to begin. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Begins the request now or later; if later, returns a function
   * that removes it from the queue when its client disconnects.
   */
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

  /**
   * Whether requests keep the loop busy and this user takes at least half as
   * much of it as the most active user: time that the user does not get goes
   * to others. If requests take little, the loop is late for another reason.
   */
  takesTheLoop(userId: number): boolean {
    const now = this.#now();
    const own = this.#accounts.get(userId)?.recentWork(now) ?? 0;
    let all = 0;
    let most = 0;
    for (const account of this.#accounts.values()) {
      const work = account.recentWork(now);
      all += work;
      most = Math.max(most, work);
    }
    return all > sumOfAll * requestsShareMin && own >= most / 2;
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
      account = new Account(this.#now);
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

  /** Users compete as long as more than one is busy, and for 2 s after. */
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
    endCharge();
    this.#level = Math.max(this.#level, account.work);
    charge(account);
    request.begin(new RunningRequest(account, this.#meter, request.isRead));
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

  /** Begins waiting requests, one after the other, until the turn is full. */
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
