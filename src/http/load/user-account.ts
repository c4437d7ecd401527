import type { Link } from '../../lib/collections.ts';
import type { Payer } from '../../lib/loop-time.ts';

/**
 * Maxima of one user's running requests: their work in ms, estimated by the user's
 * most expensive recent request; their number; and the number of reads among them.
 */
interface Limits {
  readonly workMs: number;
  readonly requests: number;
  /** Maximum of running reads: the cost of a read is known only when it ends. */
  readonly reads: number;
}

const whileOthersAsk: Limits = { workMs: 20, requests: 64, reads: 4 };
/**
 * Limits of a user without competitors: another user may send
 * a request at any time, and then waits for the running ones.
 */
const alone: Limits = { workMs: 60, requests: Number.POSITIVE_INFINITY, reads: 16 };
/** A read that took this long counts as 1 ms of work: it may have kept a connection to the database busy. */
const elapsedPerWork = 20;

/** One user's use of the event loop, and the user's waiting requests. */
export class Account implements Payer {
  readonly now: () => number;
  readonly queue = new WaitingRequests();
  /** The entry of this account in the list of busy accounts; undefined if idle. */
  busy: Link<Account> | undefined;
  running = 0;
  runningReads = 0;
  /** Time of the event loop given to the user, in ms; comparable between users. */
  work = 0;
  /** Recent maximum of timed work, in ms; it includes pauses of the process during the work. */
  readonly #timed = new RecentPeak();
  readonly #responses = new RecentPeak();
  readonly #elapsed = new RecentPeak();
  readonly #recent = new RecentSum();

  constructor(now: () => number) {
    this.now = now;
  }

  get isIdle(): boolean {
    return this.running === 0 && this.queue.size === 0;
  }

  /** Raises the used time of an idle user to `level`: idle time gives no credit. */
  activate(level: number): void {
    if (this.isIdle && this.work < level) this.work = level;
  }

  pay(ms: number): void {
    const now = this.now();
    this.#use(ms, now);
    this.#timed.note(ms, now);
  }

  /** Recent time of the event loop used by the user, in ms; `sumOfAll` would be all of it. */
  recentWork(now: number): number {
    return this.#recent.at(now);
  }

  #use(ms: number, now: number): void {
    this.work += ms;
    this.#recent.add(ms, now);
  }

  /** @param isTimed true if the work is also timed */
  noteResponse(ms: number, isTimed: boolean, now: number): void {
    if (!isTimed) this.#use(ms, now);
    this.#responses.note(ms, now);
  }

  noteElapsed(ms: number, now: number): void {
    this.#elapsed.note(ms / elapsedPerWork, now);
  }

  /** Whether one more request of the user may run. */
  mayRun({ isRead }: WaitingRequest, isContended: boolean, now: number): boolean {
    if (this.running === 0) return true;
    const limits = isContended ? whileOthersAsk : alone;
    if (this.running >= limits.requests || (isRead && this.runningReads >= limits.reads)) return false;
    if (!isContended && !isRead) return true;
    return this.running * this.#costAt(isContended, now) < limits.workMs;
  }

  #costAt(isContended: boolean, now: number): number {
    const response = this.#responses.at(now);
    return isContended ? Math.max(response, this.#timed.at(now), this.#elapsed.at(now)) : response;
  }
}

const halfLifeMs = 2000;

/**
 * The recent maximum of values; it halves in 2 s. The mean would not do: a few
 * cheap requests between expensive ones would let many expensive ones run at once.
 */
class RecentPeak {
  #peak = 0;
  #at = 0;

  at(now: number): number {
    return this.#peak * 2 ** (-(now - this.#at) / halfLifeMs);
  }

  note(value: number, now: number): void {
    if (value <= this.at(now)) return;
    this.#peak = value;
    this.#at = now;
  }
}

/** The recent sum of values; it halves in 2 s. */
class RecentSum {
  #sum = 0;
  #at = 0;

  at(now: number): number {
    return this.#sum * 2 ** (-(now - this.#at) / halfLifeMs);
  }

  add(value: number, now: number): void {
    this.#sum = this.at(now) + value;
    this.#at = now;
  }
}

/** The sum if 1 is added each millisecond. */
export const sumOfAll = halfLifeMs / Math.LN2;

/** A request that waits to begin. */
export interface WaitingRequest {
  /** True if the request changes nothing. */
  readonly isRead: boolean;
  begin(running: RunningRequest): void;
}

/** After this many writes in a row a waiting read begins, however many writes wait. */
const writesInARow = 16;

/**
 * The waiting requests of one user: writes first, each kind in order of
 * arrival. A write is short, and is committed together with others that begin
 * at the same time; in order of arrival it could wait for fifty searches.
 */
class WaitingRequests {
  readonly #reads = new Set<WaitingRequest>();
  readonly #writes = new Set<WaitingRequest>();
  #writesBefore = 0;

  get size(): number {
    return this.#reads.size + this.#writes.size;
  }

  get next(): WaitingRequest | undefined {
    const [read] = this.#reads;
    const [write] = this.#writes;
    return this.#writesBefore >= writesInARow ? (read ?? write) : (write ?? read);
  }

  add(request: WaitingRequest): void {
    (request.isRead ? this.#reads : this.#writes).add(request);
  }

  /** Removes a request because it begins. */
  take(request: WaitingRequest): void {
    this.delete(request);
    this.#writesBefore = request.isRead ? 0 : this.#writesBefore + 1;
  }

  /** @returns true if it was waiting */
  delete(request: WaitingRequest): boolean {
    return (request.isRead ? this.#reads : this.#writes).delete(request);
  }
}

/** The callbacks by which a running request reports to `FairTurns`. */
export interface Meter {
  /** ms. */
  now(): number;
  /** Whether the work of the user's request is timed at present. */
  isTiming(account: Account): boolean;
  ended(account: Account): void;
}

/** A request that has begun. */
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
