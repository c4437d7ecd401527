import { createHash } from 'node:crypto';
import pLimit, { type LimitFunction } from 'p-limit';
import type {
  Embedder,
  EmbedderHealth,
  EmbedderServer,
  EmbedderWatcher,
  TextKind,
  VectorSpace,
} from '../../domain/embedding/embedder.ts';
import { passagesVersion } from '../../domain/passages/passages.ts';
import { type BackOff, backOffMs, withJitter } from '../../lib/async.ts';
import { rest } from '../../lib/throttle.ts';
import { type Endpoint, postTexts, RequestError } from './post-texts.ts';
import { WatchedServer } from './watched-server.ts';

/** Maximum of requests of each kind that wait for their turn; more fail at once. */
const waitingMax = 1000;
const backOff = { first: 250, most: 1000 };
/** A batch of documents may take this many times the deadline of one request, including retries. */
const documentPatience = 3;
const attemptsMax: Readonly<Record<TextKind, number>> = { query: 2, document: 4 };

/** Options of requests to a model, other than its name and dimension. */
export interface ServerSource extends Pick<Endpoint, 'url' | 'sendsDimension'> {
  readonly prefixes: Readonly<Record<TextKind, string>>;
  /** Maximum UTF-16 units of a text, without its prefix. */
  readonly longestInput: number;
}

export interface RequestLimits {
  /** Texts per request. */
  readonly batchSize: number;
  /** Concurrent requests of each kind: documents never make a search wait. */
  readonly concurrency: number;
  /** Deadline of one request with documents. */
  readonly timeoutMs: number;
  /** Deadline of a query, including retries. */
  readonly queryTimeoutMs: number;
}

export interface OpenAiOptions extends Endpoint, ServerSource, RequestLimits {}

/** Clock and waits, which tests replace. */
export interface Timing {
  now(): number;
  rest(ms: number, signal: AbortSignal): Promise<void>;
  /** Pauses between the probes after a failure. */
  readonly probe: BackOff;
}

const realTiming: Timing = { now: () => Date.now(), rest, probe: { first: 1000, most: 30_000 } };

/** Embeds with a server that has an OpenAI-compatible `/v1/embeddings`. */
export class OpenAiEmbedder implements Embedder, EmbedderServer {
  readonly space: VectorSpace;
  readonly source: string;
  readonly longestInput: number;
  /** Unknown until it is measured (`calibrate`). */
  readonly relatedCosine = undefined;
  readonly #options: OpenAiOptions;
  readonly #timing: Timing;
  readonly #server: WatchedServer;
  readonly #limits: Readonly<Record<TextKind, LimitFunction>>;

  constructor(options: OpenAiOptions, timing: Timing = realTiming) {
    const { model, dimension, longestInput, concurrency, prefixes, url, sendsDimension } = options;
    this.#options = options;
    this.#timing = timing;
    this.longestInput = longestInput;
    this.space = { model, dimension, version: versionOf(prefixes.document, longestInput) };
    this.source = JSON.stringify({ url, sendsDimension, prefixes, longestInput } satisfies ServerSource);
    this.#limits = { query: pLimit(concurrency), document: pLimit(concurrency) };
    this.#server = new WatchedServer(() => this.#probe(), timing.probe);
  }

  get model(): string {
    return this.#options.model;
  }

  get health(): EmbedderHealth {
    return this.#server.health;
  }

  watch(watcher: EmbedderWatcher): void {
    this.#server.watch(watcher);
  }

  close(): void {
    this.#server.close();
  }

  async embed(texts: readonly string[], kind: TextKind): Promise<Float32Array[]> {
    const { prefixes, batchSize, dimension } = this.#options;
    // Blank texts have no content, and most servers refuse them.
    const sent = [...texts.keys()].filter((i) => texts[i].trim() !== '');
    const vectors: Float32Array[] = texts.map(() => new Float32Array(dimension));
    const giveUp = new AbortController();
    const batches = [];
    for (let from = 0; from < sent.length; from += batchSize) {
      const positions = sent.slice(from, from + batchSize);
      const inputs = positions.map((i) => prefixes[kind] + cut(texts[i], this.longestInput));
      batches.push({ positions, inputs });
    }
    const done = batches.map(({ positions, inputs }) =>
      this.#inTurn(kind, async () => {
        // The caller gets the error of the batch that failed first, not this one.
        giveUp.signal.throwIfAborted();
        const found = await this.#patiently(inputs, kind);
        positions.forEach((position, i) => {
          vectors[position] = found[i];
        });
      }),
    );
    try {
      await Promise.all(done);
    } catch (error) {
      giveUp.abort();
      await Promise.allSettled(done);
      throw error;
    }
    return vectors;
  }

  async #inTurn<T>(kind: TextKind, work: () => Promise<T>): Promise<T> {
    const limit = this.#limits[kind];
    if (limit.pendingCount >= waitingMax) {
      throw new RequestError('too many texts wait for the server', {
        isLasting: false,
        isRepeatable: false,
        isServerFault: false,
        failure: 'timeout',
      });
    }
    return limit(work);
  }

  /** Requests one batch, with retries that are bounded in number and in time. */
  async #patiently(inputs: readonly string[], kind: TextKind): Promise<Float32Array[]> {
    const { timeoutMs, queryTimeoutMs } = this.#options;
    const { now } = this.#timing;
    const attemptMs = kind === 'query' ? queryTimeoutMs : timeoutMs;
    const until = now() + (kind === 'query' ? queryTimeoutMs : documentPatience * timeoutMs);
    let last: unknown;
    for (let tried = 0; ; tried++) {
      this.#server.assertClosed();
      const waitMs = Math.max(this.#server.quietUntil - now(), withJitter(backOffMs(tried, backOff)));
      if (waitMs > 0 && now() + waitMs >= until) throw last ?? this.#askedForQuiet();
      if (waitMs > 0) await this.#timing.rest(waitMs, this.#server.closing);
      this.#server.assertClosed();
      try {
        return await this.#request(inputs, Math.min(attemptMs, until - now()));
      } catch (error) {
        const isOver = tried + 1 >= attemptsMax[kind];
        if (isOver || !(error instanceof RequestError) || !error.isRepeatable) throw error;
        last = error;
      }
    }
  }

  async #request(inputs: readonly string[], deadlineMs: number): Promise<Float32Array[]> {
    const signal = this.#server.closing;
    try {
      return await this.#server.observe(this.#timing.now, () =>
        postTexts(this.#options, inputs, { deadlineMs, signal }),
      );
    } catch (error) {
      if (!(error instanceof RequestError) || !error.isLasting || this.health.state === 'ok') throw error;
      // A server that has accepted no text yet may refuse all: a wrong model, a wrong field.
      throw new RequestError(error.message, { ...error, isLasting: false, cause: error });
    }
  }

  #probe(): Promise<unknown> {
    const { prefixes, timeoutMs } = this.#options;
    const request = () =>
      postTexts(this.#options, [`${prefixes.document}memory`], {
        deadlineMs: timeoutMs,
        signal: this.#server.closing,
      });
    return this.#server.observe(this.#timing.now, request, true);
  }

  #askedForQuiet(): RequestError {
    return new RequestError('the server asks to be left alone for a while', {
      isLasting: false,
      isRepeatable: false,
      isServerFault: false,
    });
  }
}

/** The first `units` of a text, without splitting a surrogate pair. */
function cut(text: string, units: number): string {
  const last = text.charCodeAt(units - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? units - 1 : units);
}

/**
 * Hash of the prefix and the limit, with which the vectors of a model
 * change. The server's URL is not part of it, because servers move.
 */
function versionOf(prefix: string, longestInput: number): string {
  return createHash('sha256')
    .update(JSON.stringify([prefix, longestInput, passagesVersion]))
    .digest('hex')
    .slice(0, 8);
}
