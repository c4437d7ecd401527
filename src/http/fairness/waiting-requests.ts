/** A request that began, as far as whoever began it is concerned. */
export interface Running {
  /** Notes the work of a response that is about to be written, in ms. */
  charge(ms: number): void;
  end(): void;
}

/** A request that has yet to begin. */
export interface WaitingRequest {
  /** Whether the request changes nothing. */
  readonly isRead: boolean;
  begin(running: Running): void;
}

/** A read begins after so many writes, however many more wait. */
const writesInARow = 16;

/**
 * The requests of one user that have yet to begin: writes first, each kind in order of arrival. A write is short and is
 * committed together with others that begin at the same time; behind fifty searches it would wait for fifty of them.
 */
export class WaitingRequests {
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

  /** Takes it out because it begins. */
  take(request: WaitingRequest): void {
    this.delete(request);
    this.#writesBefore = request.isRead ? 0 : this.#writesBefore + 1;
  }

  /** @returns whether it was waiting */
  delete(request: WaitingRequest): boolean {
    return (request.isRead ? this.#reads : this.#writes).delete(request);
  }
}
