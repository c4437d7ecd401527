import type { Link } from '../../lib/linked-list.ts';
import type { Payer } from '../../lib/loop-time.ts';
import { RecentPeak, RecentSum } from './recent-values.ts';
import { type WaitingRequest, WaitingRequests } from './waiting-requests.ts';

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

/** The time used by one user, and the user's waiting requests. */
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
