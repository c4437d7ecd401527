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
  // It rejects only where `signal` aborts.
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
  /** Times as long as it worked that it rests while requests take the whole event loop, or are many; 1 by default. */
  readonly busyRests?: number;
  /** Requests that it lets go first while they are many, for a second before each turn; by default it waits for none. */
  readonly requests?: ActiveRequests;
}

const givesWayMs = 1000;
const lookEveryMs = 20;

/** Leaves half of the time to others, over everything that works by it: what worked is followed by as long a rest. */
export class Pace {
  readonly #load = new LoopLoad();
  readonly #busyRests: number;
  readonly #requests: ActiveRequests | undefined;
  #restUntil = 0;
  /** Whether requests were still many when the last turn came. */
  #isCrowded = false;

  constructor({ busyRests = 1, requests }: PaceOptions = {}) {
    this.#busyRests = busyRests;
    this.#requests = requests;
  }

  worked(ms: number): void {
    const isBusy = this.#load.isBusyApartFrom(ms);
    const rests = isBusy || this.#isCrowded ? this.#busyRests : 1;
    this.#restUntil = Math.max(this.#restUntil, performance.now()) + rests * ms;
  }

  /** Resolves when the rest is over and requests were let go first, or when `signal` aborts. */
  async turn(signal: AbortSignal): Promise<void> {
    for (let ms = this.#left(); ms > 0 && !signal.aborted; ms = this.#left()) await rest(ms, signal);
    const until = performance.now() + givesWayMs;
    while (this.#areMany && performance.now() < until && !signal.aborted) await rest(lookEveryMs, signal);
    this.#isCrowded = this.#areMany;
    // Work in the background may go on in a stretch of the user whose request woke it: it is not that user's.
    endCharge();
  }

  get #areMany(): boolean {
    return this.#requests?.areMany ?? false;
  }

  #left(): number {
    return this.#restUntil - performance.now();
  }
}

/** What an event loop has been: as `performance.eventLoopUtilization()` counts it, in milliseconds. */
export interface LoopTimes {
  readonly active: number;
  readonly idle: number;
}

/** Share of the time left by background work above which the event loop has no room for it. */
const busyMin = 0.8;
/** Milliseconds without background work, below which nothing can be said. */
const windowMinMs = 20;

/** Whether requests take the whole event loop, told from what background work takes of it. */
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
   * @param ms that background work took since the last call, at most all of them in the event loop
   * @returns whether requests took the loop since the last window that was long enough
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

/** Requests at once that are many: more than agents of one user send. */
const many = 8;
/** Milliseconds for which they count as many after they were: those whose writes share a commit are all answered by it at once. */
const rememberedMs = 100;

/** Requests that this process is answering: what background work gives way to. */
export class ActiveRequests {
  #count = 0;
  #manyAt = Number.NEGATIVE_INFINITY;

  begin(): void {
    if (++this.#count >= many) this.#manyAt = performance.now();
  }

  end(): void {
    this.#count--;
  }

  get areNone(): boolean {
    return this.#count === 0;
  }

  get areMany(): boolean {
    return this.#count >= many || performance.now() - this.#manyAt < rememberedMs;
  }
}

/**
 * Gives the thread that calls it less of a processor than those that serve requests. Linux sets it for that thread alone;
 * elsewhere it would slow all threads, so nothing is changed there.
 */
export function comeAfterRequests(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // A sandbox may refuse it: the work then has the priority of requests, and is right all the same.
  }
}
