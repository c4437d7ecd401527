import { EventEmitter } from 'node:events';

/** Waits before the next try, in ms. */
export interface BackOff {
  readonly first: number;
  readonly most: number;
}

/** Wait in ms after this many failures in a row: doubled by each, 0 after none. */
export function backOffMs(failures: number, { first, most }: BackOff): number {
  return failures === 0 ? 0 : Math.min(most, first * 2 ** (failures - 1));
}

/** The wait with half of it random, so that clients that failed together do not retry together. */
export function withJitter(ms: number): number {
  return ms / 2 + (Math.random() * ms) / 2;
}

/**
 * Acts on each value, on at most `atOnce` at the same time. After an error it begins no other, and waits for those that run.
 * @throws the first error
 */
export async function eachAtOnce<T extends object>(
  values: Iterable<T>,
  atOnce: number,
  act: (value: T) => Promise<void>,
): Promise<void> {
  // All take from the same list.
  const left = [...values].reverse();
  const takeNext = async () => {
    for (let value = left.pop(); value !== undefined; value = left.pop())
      try {
        await act(value);
      } catch (error) {
        left.length = 0;
        throw error;
      }
  };
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, takeNext));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** Like `Promise.all`, but rejects, with the first error in time, only when all have ended. */
export async function allEnded<T extends readonly unknown[]>(
  promises: readonly [...{ [K in keyof T]: Promise<T[K]> }],
): Promise<T> {
  try {
    return (await Promise.all(promises)) as unknown as T;
  } finally {
    await Promise.allSettled(promises);
  }
}

/** Runs the acts of one key one after another; acts of other keys do not wait. */
export class OneAtATime<K> {
  readonly #last = new Map<K, Promise<unknown>>();

  async run<T>(key: K, act: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    // An error goes to the caller of that act alone.
    const mine = before ? before.then(act, act) : act();
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}

type Outcome<T> =
  | { readonly state: 'found'; readonly value: T }
  | { readonly state: 'late' }
  | { readonly state: 'failed'; readonly error: unknown };

/** The outcome of a promise within `ms`. A late promise continues, and its outcome is dropped. */
export async function withinDeadline<T>(promise: Promise<T>, ms: number): Promise<Outcome<T>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Outcome<T>>((resolve) => {
    timer = setTimeout(() => resolve({ state: 'late' }), ms);
  });
  const found = promise.then(
    (value): Outcome<T> => ({ state: 'found', value }),
    (error: unknown): Outcome<T> => ({ state: 'failed', error }),
  );
  try {
    return await Promise.race([found, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves at the event, after `ms`, or when `signal` aborts. */
export function nextEvent(
  events: EventEmitter,
  name: string,
  ms: number,
  signal?: AbortSignal,
): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      events.off(name, done);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms).unref();
    events.once(name, done);
    signal?.addEventListener('abort', done);
  });
}

/** Wakes a task that waits for work. */
export class WakeSignal {
  readonly #events = new EventEmitter();
  #isSet = false;

  set(): void {
    this.#isSet = true;
    this.#events.emit('set');
  }

  /** Resolves once it is set, or was since the last call; also after `ms`, or when `signal` aborts. */
  async next(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isSet) await nextEvent(this.#events, 'set', ms, signal);
    this.#isSet = false;
  }
}

/** A line of a file or stream. */
export interface Line {
  /** From 1, empty lines counted. */
  readonly number: number;
  /** Without its end; undefined if the line is longer than the limit. */
  readonly bytes: Buffer | undefined;
  /** Bytes in the file, its end included. */
  readonly length: number;
}

const newline = 0x0a;

/**
 * The lines of a stream, in groups of those that one chunk completes; at most one
 * incomplete line of up to `lineBytesMax` bytes is kept.
 */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  lineBytesMax: number,
): AsyncGenerator<readonly Line[]> {
  let number = 0;
  let length = 0;
  let pieces: Uint8Array[] = [];
  const take = (piece: Uint8Array) => {
    length += piece.length;
    if (length <= lineBytesMax) pieces.push(piece);
    else pieces = [];
  };
  const finish = (endLength: number): Line => {
    const bytes = length <= lineBytesMax ? Buffer.concat(pieces) : undefined;
    const line = { number: ++number, bytes, length: length + endLength };
    length = 0;
    pieces = [];
    return line;
  };
  for await (const chunk of chunks) {
    const lines: Line[] = [];
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      take(chunk.subarray(from, end));
      lines.push(finish(1));
      from = end + 1;
    }
    take(chunk.subarray(from));
    if (lines.length > 0) yield lines;
  }
  if (length > 0) yield [finish(0)];
}
