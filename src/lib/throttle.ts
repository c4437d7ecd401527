import { constants, setPriority } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { endCharge } from './loop-time.ts';

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
  /** Rest in multiples of the work while requests take the whole event loop or are many; 1 by default. */
  readonly busyRests?: number;
  /** While there are none, work does not rest; absent: it always rests. */
  readonly requests?: ActiveRequests;
  /** While requests are many, each turn waits up to a second for them; by default it waits for none. */
  readonly givesWay?: boolean;
}

const givesWayMs = 1000;
const lookEveryMs = 20;

/**
 * Leaves half of the time to requests: while there are any, all work that shares a pace is followed by a rest of the
 * same duration.
 */
export class Pace {
  readonly #load = new LoopLoad();
  readonly #busyRests: number;
  readonly #requests: ActiveRequests | undefined;
  readonly #givesWay: boolean;
  #restUntil = 0;
  /** Whether requests were still many when the last turn came. */
  #isCrowded = false;

  constructor({ busyRests = 1, requests, givesWay = false }: PaceOptions = {}) {
    this.#busyRests = busyRests;
    this.#requests = requests;
    this.#givesWay = givesWay;
  }

  worked(ms: number): void {
    const isBusy = this.#load.isBusyApartFrom(ms);
    if (this.#requests?.areNoneLately) return;
    const rests = isBusy || this.#isCrowded ? this.#busyRests : 1;
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

/** Times of an event loop in ms, as `performance.eventLoopUtilization()` returns them. */
export interface LoopTimes {
  readonly active: number;
  readonly idle: number;
}

/** If requests take more than this share of the time that background work leaves, the loop is busy. */
const busyMin = 0.8;
/** Shorter times without background work are too short for a measurement. */
const windowMinMs = 20;

/** Measures whether requests take all of the event loop that background work leaves. */
export class LoopLoad {
  readonly #read: () => LoopTimes;
  #seen: LoopTimes;
  #ownMs = 0;
  #isBusy = false;

  constructor(read: () => LoopTimes = () => performance.eventLoopUtilization()) {
    this.#read = read;
    this.#seen = read();
  }

  /**
   * @param ms duration of the background work since the last call, in the event loop or outside of it
   * @returns whether requests took the loop in the last window that was long enough
   */
  isBusyApartFrom(ms: number): boolean {
    this.#ownMs += ms;
    const now = this.#read();
    const active = now.active - this.#seen.active;
    const left = active + now.idle - this.#seen.idle - this.#ownMs;
    if (left < windowMinMs) return this.#isBusy;
    this.#isBusy = (active - this.#ownMs) / left > busyMin;
    this.#seen = now;
    this.#ownMs = 0;
    return this.#isBusy;
  }
}

/** This many concurrent requests are many: the agents of one user send fewer. */
const many = 8;
/** They still count as many for this long after: a group commit answers all of its requests at once. */
const rememberedMs = 100;
/** No request for this long: the next one is not expected, and at worst waits for one slice of background work. */
const quietMs = 1000;

/** Number of requests that this process is answering; background work gives way to them. */
export class ActiveRequests {
  readonly #now: () => number;
  #count = 0;
  #manyAt = Number.NEGATIVE_INFINITY;
  #endedAt = Number.NEGATIVE_INFINITY;

  /** @param now milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  begin(): void {
    if (++this.#count >= many) this.#manyAt = this.#now();
  }

  end(): void {
    this.#count--;
    this.#endedAt = this.#now();
  }

  /** None now, and none within the last second. */
  get areNoneLately(): boolean {
    return this.areNone && this.#now() - this.#endedAt >= quietMs;
  }

  get areNone(): boolean {
    return this.#count === 0;
  }

  get areMany(): boolean {
    return this.#count >= many || this.#now() - this.#manyAt < rememberedMs;
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
