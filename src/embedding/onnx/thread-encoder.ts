import { createHash } from 'node:crypto';
import { Piscina } from 'piscina';
import {
  type Embedder,
  EmbeddingError,
  type EncoderHealth,
  type LocalEncoder,
  type TextKind,
  type VectorSpace,
} from '../../domain/embedding/embedder.ts';
import { passagesVersion } from '../../domain/passages/passages.ts';
import { OneAtATime } from '../../lib/async.ts';
import { waitedFor } from '../../lib/loop-time.ts';
import { cannotLoad, type EncodeRequest } from './encoder-entry.ts';
import { fingerprintOf, type ModelFolder } from './model-folder.ts';
import { forbidTelemetry } from './runtime.ts';

/**
 * UTF-16 units of a piece, fewer than the average of English,
 * so that the model reads each part of a text whole.
 */
const unitsPerToken = 4;
/**
 * UTF-16 units of stored texts in one task of the thread, some 0.2 s: enough to keep the thread seldom idle.
 */
const unitsAtOnce = 8000;
/**
 * Concurrent tasks of the thread, one of them at most for stored
 * texts: a query waits for one text of that task at most.
 */
const tasksAtOnce = 32;

export interface EncoderOptions {
  readonly model: ModelFolder;
  readonly prefixes: Readonly<Record<TextKind, string>>;
  /** See `Embedder.source`. */
  readonly source: string;
  /** See `Embedder.relatedCosine`. */
  readonly relatedCosine: number | undefined;
  /** Fingerprint of the model, if known without reading it. */
  readonly fingerprint?: string;
}

type Watcher = Parameters<LocalEncoder['watch']>[0];

/** An embedder whose model runs on a thread of its own, started by the first text. */
export class ThreadEncoder implements Embedder, LocalEncoder {
  readonly space: VectorSpace;
  readonly source: string;
  readonly longestInput: number;
  readonly relatedCosine: number | undefined;
  readonly #model: ModelFolder;
  readonly #prefixes: EncoderOptions['prefixes'];
  readonly #watchers: Watcher[] = [];
  readonly #stored = new OneAtATime<'stored'>();
  #health: EncoderHealth = { state: 'unknown', reason: undefined };
  #pool: Piscina<EncodeRequest, Float32Array[]> | undefined;
  readonly #running = new Set<Promise<unknown>>();
  /** Shared with the thread; 1 if it must not encode further texts. */
  readonly #isClosed = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

  /** @throws ModelFileError if the folder has no model */
  constructor({ model, prefixes, source, relatedCosine, fingerprint }: EncoderOptions) {
    this.#model = model;
    this.#prefixes = prefixes;
    this.source = source;
    this.relatedCosine = relatedCosine;
    this.longestInput = unitsPerToken * model.tokensMax;
    const version = versionOf(model, prefixes.document, fingerprint ?? fingerprintOf(model));
    this.space = { model: model.name, dimension: model.dimension, version };
  }

  get model(): string {
    return this.#model.name;
  }

  get health(): EncoderHealth {
    return this.#health;
  }

  get isLoading(): boolean {
    return this.#health.state !== 'ok';
  }

  watch(changed: Watcher): void {
    this.#watchers.push(changed);
  }

  async embed(texts: readonly string[], kind: TextKind): Promise<Float32Array[]> {
    const prefixed = texts.map((text) => this.#prefixes[kind] + text);
    if (kind === 'query') return this.#encode(prefixed);
    const vectors: Float32Array[] = [];
    for (const slice of slicesOf(prefixed))
      vectors.push(...(await this.#stored.run('stored', () => this.#encode(slice))));
    return vectors;
  }

  async warm(): Promise<void> {
    // `#encode` reports a failure in `health` and to the watchers.
    await this.#encode([]).catch(() => undefined);
  }

  async close(): Promise<void> {
    Atomics.store(this.#isClosed, 0, 1);
    // Ending the thread while onnxruntime runs in it would end the whole process.
    await Promise.allSettled(this.#running);
    await this.#pool?.destroy();
    this.#pool = undefined;
  }

  get #hasEnded(): boolean {
    return this.#isClosed[0] === 1;
  }

  async #encode(texts: readonly string[]): Promise<Float32Array[]> {
    if (this.#hasEnded) throw new EmbeddingError('The encoder was ended.', { isLasting: false });
    this.#pool ??= newPool();
    const run = this.#pool.run({ model: this.#model, texts, isClosed: this.#isClosed });
    this.#running.add(run);
    try {
      const vectors = await waitedFor(run);
      this.#note({ state: 'ok', reason: undefined });
      return vectors;
    } catch (error) {
      if (!this.#hasEnded)
        this.#note({ state: 'failing', reason: 'the model cannot be run' }, loadFailureOf(error));
      throw new EmbeddingError('The encoder gives no vectors.', { isLasting: false, cause: error });
    } finally {
      this.#running.delete(run);
    }
  }

  #note(health: EncoderHealth, detail?: string): void {
    const isChange = health.state !== this.#health.state;
    this.#health = health;
    if (isChange) for (const changed of this.#watchers) changed(health, detail);
  }
}

function loadFailureOf(error: unknown): string | undefined {
  const message = error instanceof Error ? error.message : '';
  return message.startsWith(cannotLoad) ? message : undefined;
}

function newPool(): Piscina<EncodeRequest, Float32Array[]> {
  forbidTelemetry();
  // Tests run the TypeScript source, the service runs JavaScript.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new Piscina({
    filename: new URL(`./encoder-entry.${extension}`, import.meta.url).href,
    ...(extension === 'ts' && { execArgv: ['--import', 'tsx'] }),
    minThreads: 0,
    maxThreads: 1,
    concurrentTasksPerWorker: tasksAtOnce,
    // With a timeout, a search after a pause would wait 0.2 s for the model again.
    idleTimeout: Number.POSITIVE_INFINITY,
  });
}

/** Slices in order, each with one text or several short ones. */
function slicesOf(texts: readonly string[]): string[][] {
  const slices: string[][] = [];
  let units = 0;
  for (const text of texts) {
    const last = slices.at(-1);
    if (last && units + text.length <= unitsAtOnce) {
      last.push(text);
      units += text.length;
    } else {
      slices.push([text]);
      units = text.length;
    }
  }
  return slices;
}

/** Hash of all inputs, other than the text, that determine the vector of a stored text. */
function versionOf(model: ModelFolder, documentPrefix: string, fingerprint: string): string {
  const facts = [fingerprint, model.tokensMax, model.pooling, documentPrefix, passagesVersion];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 12);
}
