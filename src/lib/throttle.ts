import { setTimeout as wait } from 'node:timers/promises';
import { LoopLoad } from './loop-load.ts';
import { endCharge } from './loop-time.ts';
import type { RequestsInFlight } from './requests-in-flight.ts';

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

export interface PaceOptions {
  /** Times as long as it worked that it rests while requests take the whole event loop, or are many; 1 by default. */
  readonly busyRests?: number;
  /** Requests that it lets go first while they are many, for a second before each turn; by default it waits for none. */
  readonly requests?: RequestsInFlight;
}

const givesWayMs = 1000;
const lookEveryMs = 20;

/** Leaves half of the time to others, over everything that works by it: what worked is followed by as long a rest. */
export class Pace {
  readonly #load = new LoopLoad();
  readonly #busyRests: number;
  readonly #requests: RequestsInFlight | undefined;
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
