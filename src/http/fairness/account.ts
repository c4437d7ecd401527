import type { WaitingRequest } from './fair-turns.ts';
import { RecentPeak } from './recent-peak.ts';
import { WaitingRequests } from './waiting-requests.ts';

/** What one user may have running: work in ms, by the dearest request of late; requests; and of them reads. */
interface Limits {
  readonly workMs: number;
  readonly requests: number;
  /** What a read costs is known when it ends, and by then the others run. */
  readonly reads: number;
}

const whileOthersAsk: Limits = { workMs: 20, requests: 64, reads: 4 };
/** Somebody may come at any moment, and waits for what runs. */
const alone: Limits = { workMs: 60, requests: Number.POSITIVE_INFINITY, reads: 16 };
/** A read that took this long counts as 1 ms of work: it may have kept a connection to the database busy. */
const elapsedPerWork = 20;

/** What one user has been given, and what waits. */
export class Account {
  readonly queue = new WaitingRequests();
  running = 0;
  runningReads = 0;
  /** Time of the event loop given to the user, in ms; comparable between users. */
  work = 0;
  /** Of timed work: a pause of the process while it was timed is in it too. */
  readonly #timed = new RecentPeak();
  readonly #responses = new RecentPeak();
  readonly #elapsed = new RecentPeak();

  get isIdle(): boolean {
    return this.running === 0 && this.queue.size === 0;
  }

  /** Time in which nothing was asked for is not saved up. */
  activate(level: number): void {
    if (this.isIdle && this.work < level) this.work = level;
  }

  noteTimed(ms: number, now: number): void {
    this.work += ms;
    this.#timed.note(ms, now);
  }

  /** @param isTimed whether the work is timed as well */
  noteResponse(ms: number, isTimed: boolean, now: number): void {
    if (!isTimed) this.work += ms;
    this.#responses.note(ms, now);
  }

  noteElapsed(ms: number, now: number): void {
    this.#elapsed.note(ms / elapsedPerWork, now);
  }

  /** Whether one more may run. */
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
