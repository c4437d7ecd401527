/** Requests at once that are many: more than agents of one user send. */
const many = 8;
/** Milliseconds for which they count as many after they were: those whose writes share a commit are all answered by it at once. */
const rememberedMs = 100;

/** Requests that this process is answering: what background work gives way to. */
export class RequestsInFlight {
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
