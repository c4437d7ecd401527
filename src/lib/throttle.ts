import { constants, setPriority } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { chargedSum, endCharge } from './loop-time.ts';

/** Runs `work` and then rests as long as it took: background work uses at most half of the time. */
export async function throttled<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const began = performance.now();
  const result = await work();
  await rest(performance.now() - began, signal);
  return result;
}

/** Returns early when `signal` aborts; a wait that can be aborted does not keep the process alive. */
export async function rest(ms: number, signal?: AbortSignal): Promise<void> {
  // It rejects only if `signal` aborts.
  await wait(ms, undefined, { signal, ref: signal === undefined }).catch(() => undefined);
}

/** The result of `work`, or undefined when `signal` aborts first. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return undefined;
  let onAbort = () => {};
  const aborted = new Promise<undefined>((resolve) => {
    onAbort = () => resolve(undefined);
    signal.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

interface PaceOptions {
  /** Rest in multiples of the work while requests are many or take the whole event loop, in part from `busyMin` of it; 1 by default. */
  readonly busyRests?: number;
  /** Work rests in proportion to the time in which any were answered; absent: it rests as long as it takes. */
  readonly requests?: ActiveRequests;
  /** While requests are many, each turn waits up to a second for them; by default it waits for none. */
  readonly givesWay?: boolean;
}

const givesWayMs = 1000;
const lookEveryMs = 20;

/**
 * Leaves half of the time to requests: all work that shares a pace is followed by a rest of the same duration if requests
 * were answered all the time since the work before, and by a shorter one, or none, if for a part of that time.
 */
export class Pace {
  readonly #load = new LoopLoad();
  readonly #share: RequestShare | undefined;
  readonly #busyRests: number;
  readonly #requests: ActiveRequests | undefined;
  readonly #givesWay: boolean;
  #restUntil = 0;
  /** Whether requests were still many when the last turn came. */
  #isCrowded = false;

  constructor({ busyRests = 1, requests, givesWay = false }: PaceOptions = {}) {
    this.#busyRests = busyRests;
    this.#requests = requests;
    this.#share = requests && new RequestShare(requests);
    this.#givesWay = givesWay;
  }

  worked(ms: number): void {
    const excess = this.#load.excess();
    const share = this.#share ? this.#share.next() : 1;
    const rests = share + (this.#busyRests - share) * (this.#isCrowded ? 1 : excess);
    this.#restUntil = Math.max(this.#restUntil, performance.now()) + rests * ms;
  }

  /** Resolves after the rest and the wait for requests, or when `signal` aborts. */
  async turn(signal: AbortSignal): Promise<void> {
    for (let ms = this.#left(); ms > 0 && !signal.aborted; ms = this.#left()) await rest(ms, signal);
    const until = performance.now() + givesWayMs;
    while (this.#areMany && performance.now() < until && !signal.aborted) await rest(lookEveryMs, signal);
    this.#isCrowded = this.#areMany;
    // The request that woke this work may still be charged; the user of that request must not pay for it.
    endCharge();
  }

  get #areMany(): boolean {
    return this.#givesWay && (this.#requests?.areMany ?? false);
  }

  #left(): number {
    return this.#restUntil - performance.now();
  }
}

/** Milliseconds of work and without. */
export interface LoopTimes {
  readonly active: number;
  readonly idle: number;
}

/** Time of this event loop that users are charged for, and in which it had nothing to do. */
const chargedTimes = (): LoopTimes => ({
  active: chargedSum(),
  idle: performance.eventLoopUtilization().idle,
});

/** If requests take more than this share of the time that background work leaves, the loop is busy. */
const busyMin = 0.8;
/** Requests come in bursts: shorter times without background work say little. */
const windowMinMs = 500;

/** Measures how near requests are to taking all of the event loop that background work leaves. */
export class LoopLoad {
  readonly #read: () => LoopTimes;
  #seen: LoopTimes;
  #excess = 0;

  /** @param read times of the requests, and those without any work: what remains is background work */
  constructor(read: () => LoopTimes = chargedTimes) {
    this.#read = read;
    this.#seen = read();
  }

  /** 0 up to `busyMin` of the last window that was long enough, 1 if requests took all of it. */
  excess(): number {
    const now = this.#read();
    const active = now.active - this.#seen.active;
    const left = active + now.idle - this.#seen.idle;
    if (left < windowMinMs) return this.#excess;
    this.#excess = Math.min(1, Math.max(0, (active / left - busyMin) / (1 - busyMin)));
    this.#seen = now;
    return this.#excess;
  }
}

/** This many concurrent requests are many: the agents of one user send fewer. */
const many = 8;
/** They still count as many for this long after: a group commit answers all of its requests at once. */
const rememberedMs = 100;

/** Number of requests that this process is answering; background work gives way to them. */
export class ActiveRequests {
  readonly #now: () => number;
  readonly #began: number;
  #count = 0;
  #manyAt = Number.NEGATIVE_INFINITY;
  /** Beginning of the time in which there is at least one. */
  #since = 0;
  #activeMs = 0;

  /** @param now milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#began = now();
  }

  begin(): void {
    const now = this.#now();
    if (this.#count++ === 0) this.#since = now;
    if (this.#count >= many) this.#manyAt = now;
  }

  end(): void {
    if (--this.#count === 0) this.#activeMs += this.#now() - this.#since;
  }

  /** Milliseconds with at least one request (`active`) and without, since the beginning. */
  get times(): LoopTimes {
    const now = this.#now();
    const active = this.#activeMs + (this.#count > 0 ? now - this.#since : 0);
    return { active, idle: now - this.#began - active };
  }

  get areNone(): boolean {
    return this.#count === 0;
  }

  get areMany(): boolean {
    return this.#count >= many || this.#now() - this.#manyAt < rememberedMs;
  }
}

/** The part of the time in which requests are answered. */
export class RequestShare {
  readonly #requests: Pick<ActiveRequests, 'times'>;
  #seen: LoopTimes;

  constructor(requests: Pick<ActiveRequests, 'times'>) {
    this.#requests = requests;
    this.#seen = requests.times;
  }

  /** From 0 to 1, since the call before. */
  next(): number {
    const now = this.#requests.times;
    const active = now.active - this.#seen.active;
    const passed = active + now.idle - this.#seen.idle;
    this.#seen = now;
    return passed > 0 ? active / passed : 0;
  }
}

/**
 * Lowers the priority of the calling thread below the threads that serve requests. Linux
 * sets it for one thread; other systems would slow all threads, so it does nothing there.
 */
export function comeAfterRequests(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // A sandbox may refuse it: the work then has the priority of requests, with the same results.
  }
}
