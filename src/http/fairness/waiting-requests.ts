/** A running request, as seen by the caller of `begin`. */
export interface Running {
  /** Adds the work of a response before it is written, in ms. */
  charge(ms: number): void;
  end(): void;
}

/** A request that waits to begin. */
export interface WaitingRequest {
  /** True if the request changes nothing. */
  readonly isRead: boolean;
  begin(running: Running): void;
}

/** After this many writes in a row a waiting read begins, however many writes wait. */
const writesInARow = 16;

/**
 * The waiting requests of one user: writes first, each kind in order of
 * arrival. A write is short, and is committed together with others that begin
 * at the same time; in order of arrival it could wait for fifty searches.
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
