import type { EmbedderHealth, EmbedderWatcher } from '../../domain/embedding/embedder.ts';
import { type BackOff, backOffMs } from '../../lib/async.ts';
import { rest } from '../../lib/throttle.ts';
import { RequestError } from './post-texts.ts';

/** Consecutive faults after which the circuit opens. */
const faultsMax = 3;
/** Maximum of the pause that a server can ask for. */
const quietMsMax = 60_000;

/**
 * Tracks the state of a server by the results of its requests: a circuit breaker that opens after
 * three consecutive faults. Any state but `ok` ends with a request or a probe that succeeds. A probe
 * waits longer than a search can, so that it also succeeds if the server must first load its model.
 */
export class WatchedServer {
  readonly #probe: () => Promise<unknown>;
  readonly #probeTimes: BackOff;
  readonly #closing = new AbortController();
  readonly #watchers: EmbedderWatcher[] = [];
  #health: EmbedderHealth = { state: 'unknown', reason: undefined, responseTime: undefined };
  #faults = 0;
  #quietUntil = 0;
  #probing: Promise<void> | undefined;

  constructor(probe: () => Promise<unknown>, probeTimes: BackOff) {
    this.#probe = probe;
    this.#probeTimes = probeTimes;
  }

  get health(): EmbedderHealth {
    return this.#health;
  }

  /** Aborts when no more requests are to be sent. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** End of the pause that the server asked for, in milliseconds of the clock given to `observe`. */
  get quietUntil(): number {
    return this.#quietUntil;
  }

  /** @throws RequestError while the circuit is open */
  assertClosed(): void {
    const { state, reason } = this.#health;
    if (state !== 'open' && !this.closing.aborted) return;
    throw new RequestError(`the server is left alone for a while: ${reason ?? 'the service stops'}`, {
      isLasting: false,
      isRepeatable: false,
      isServerFault: false,
      failure: 'connection',
    });
  }

  watch(watcher: EmbedderWatcher): void {
    this.#watchers.push(watcher);
    if (this.#health.state === 'unknown') this.#probing ??= this.#probeUntilOk(0);
  }

  close(): void {
    this.#closing.abort();
  }

  /** Makes a request and updates the state with its result. */
  async observe<T>(now: () => number, request: () => Promise<T>, isProbe = false): Promise<T> {
    const began = performance.now();
    const ended = () => performance.now() - began;
    try {
      const result = await request();
      this.#faults = 0;
      this.#ended(ended(), 'ok', undefined);
      return result;
    } catch (error) {
      if (!this.closing.aborted) this.#failed(error, ended(), now(), isProbe);
      throw error;
    }
  }

  #failed(error: unknown, ms: number, now: number, isProbe: boolean): void {
    const reported = error instanceof RequestError ? error : undefined;
    const { retryAfterMs } = reported ?? {};
    if (retryAfterMs !== undefined)
      this.#quietUntil = Math.max(this.#quietUntil, now + Math.min(quietMsMax, retryAfterMs));
    if (reported?.isLasting && !isProbe) {
      // The fault of this text only, unless the plain text of a probe is refused too.
      if (this.#health.state === 'unknown') this.#probing ??= this.#probeUntilOk(0);
      this.#ended(ms, this.#health.state, this.#health.reason, false);
      return;
    }
    if (reported?.isServerFault !== false || isProbe) this.#faults++;
    const isOpen = this.#faults >= faultsMax || this.#health.state === 'open';
    this.#ended(ms, isOpen ? 'open' : 'failing', reported?.message ?? 'the request failed', false);
    this.#probing ??= this.#probeUntilOk(1);
  }

  #ended(ms: number, state: EmbedderHealth['state'], reason: string | undefined, isAnswered = true): void {
    const before = this.#health;
    this.#health = { state, reason, responseTime: Math.round(ms) };
    for (const watcher of this.#watchers) {
      watcher.requested({ seconds: ms / 1000, succeeded: isAnswered });
      if (before.state !== state) watcher.changed(this.#health);
    }
  }

  #isOk(): boolean {
    return this.#health.state === 'ok';
  }

  /** @param failures number before the first probe; after none, the probe is sent at once */
  async #probeUntilOk(failures: 0 | 1): Promise<void> {
    for (let failed: number = failures; ; failed++) {
      await rest(backOffMs(failed, this.#probeTimes), this.closing);
      if (this.closing.aborted || this.#isOk()) break;
      // `observe` records a failed probe like any request and notifies the watchers.
      await this.#probe().catch(() => undefined);
      if (this.#isOk()) break;
    }
    this.#probing = undefined;
  }
}
