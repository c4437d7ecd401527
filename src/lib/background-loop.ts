/** Work beside the requests, from `start` to `stop`, of which there is one for each object. */
export abstract class BackgroundLoop {
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  start(): void {
    this.#running ??= this.run(this.signal);
  }

  /** Resolves when nothing runs any more; what was begun is taken up at the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Aborts when the work is to end. */
  protected get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Does the work until `signal` aborts; does not fail. */
  protected abstract run(signal: AbortSignal): Promise<void>;
}
