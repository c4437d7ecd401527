import { LRUCache } from 'lru-cache';
import type { StoredAnswer } from '../domain/shared/idempotency-store.ts';
import { MINUTE_MS } from '../domain/shared/time.ts';

const repeatWindowMs = 10 * MINUTE_MS;
const abandonedMax = 10_000;
const abandonedLengthMax = 32 * 1024 * 1024;

/** A request that is being done; those who repeat it wait for its answer. */
export class Flight {
  /** Undefined when there is no answer worth giving again: try yourself. */
  readonly answer: Promise<StoredAnswer | undefined>;
  #resolve: (answer: StoredAnswer | undefined) => void = () => undefined;
  #settled: StoredAnswer | undefined;
  #abandoned = false;

  constructor() {
    this.answer = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Whether the client went away before its answer was written. */
  get abandoned(): boolean {
    return this.#abandoned;
  }

  get settled(): StoredAnswer | undefined {
    return this.#settled;
  }

  settle(answer: StoredAnswer | undefined): void {
    this.#settled = answer;
    this.#resolve(answer);
  }

  abandon(): void {
    this.#abandoned = true;
  }
}

/**
 * Requests in flight by what makes them the same, and the answers of those whose client went away: 10,000 of these or
 * 32 M characters at most, for 10 minutes.
 */
export class Flights {
  readonly #open = new Map<string, Flight>();
  readonly #abandoned = new LRUCache<string, StoredAnswer>({
    max: abandonedMax,
    maxSize: abandonedLengthMax,
    sizeCalculation: ({ body }) => body.length + 1,
    ttl: repeatWindowMs,
  });

  find(slot: string): Flight | undefined {
    return this.#open.get(slot);
  }

  /** The answer that a client never got. */
  findAbandoned(slot: string): StoredAnswer | undefined {
    return this.#abandoned.get(slot);
  }

  /** Registers before anything is awaited, so that of many that arrive together one is done. */
  begin(slot: string): Flight {
    const flight = new Flight();
    this.#open.set(slot, flight);
    return flight;
  }

  /** Ends a flight: its answer, if any, is kept when its client did not get it. */
  end(slot: string, flight: Flight): void {
    if (this.#open.get(slot) === flight) this.#open.delete(slot);
    if (flight.abandoned && flight.settled) this.#abandoned.set(slot, flight.settled);
  }
}
