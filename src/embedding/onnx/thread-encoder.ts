import { createHash } from 'node:crypto';
import { Piscina } from 'piscina';
import {
  type Embedder,
  EmbeddingError,
  type TextKind,
  type VectorSpace,
} from '../../domain/embedding/embedder.ts';
import type { EncoderHealth, LocalEncoder } from '../../domain/embedding/local-encoder.ts';
import { cannotLoad, type EncodeRequest } from './encoder-entry.ts';
import { fingerprintOf, type ModelFolder } from './model-folder.ts';

/** UTF-16 units of a piece, on the short side for English: texts are cut into parts that are read whole. */
const unitsPerToken = 4;
/** UTF-16 units of stored texts in one task of the thread, some 30 ms: a query waits for one such task at most. */
const unitsAtOnce = 1000;

export interface EncoderOptions {
  readonly model: ModelFolder;
  readonly prefixes: Readonly<Record<TextKind, string>>;
  /** See `Embedder.source`. */
  readonly source: string;
  /** See `Embedder.relatedCosine`. */
  readonly relatedCosine: number | undefined;
}

type Watcher = Parameters<LocalEncoder['watch']>[0];

/** An embedder whose model runs on a thread of its own, begun with the first text. */
export class ThreadEncoder implements Embedder, LocalEncoder {
  readonly space: VectorSpace;
  readonly source: string;
  readonly longestInput: number;
  readonly relatedCosine: number | undefined;
  readonly #model: ModelFolder;
  readonly #prefixes: EncoderOptions['prefixes'];
  readonly #watchers: Watcher[] = [];
  #health: EncoderHealth = { state: 'unknown', reason: undefined };
  #pool: Piscina<EncodeRequest, Float32Array[]> | undefined;
  #isClosed = false;

  /** @throws ModelFileError where there is no model in the folder */
  constructor({ model, prefixes, source, relatedCosine }: EncoderOptions) {
    this.#model = model;
    this.#prefixes = prefixes;
    this.source = source;
    this.relatedCosine = relatedCosine;
    this.longestInput = unitsPerToken * model.tokensMax;
    const version = versionOf(model, prefixes.document);
    this.space = { model: model.name, dimension: model.dimension, version };
  }

  get model(): string {
    return this.#model.name;
  }

  get health(): EncoderHealth {
    return this.#health;
  }

  watch(changed: Watcher): void {
    this.#watchers.push(changed);
  }

  async embed(texts: readonly string[], kind: TextKind): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (const slice of slicesOf(texts.map((text) => this.#prefixes[kind] + text)))
      vectors.push(...(await this.#encode(slice)));
    return vectors;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool?.destroy();
    this.#pool = undefined;
  }

  async #encode(texts: readonly string[]): Promise<Float32Array[]> {
    if (this.#isClosed) throw new EmbeddingError('The encoder was ended.', { isLasting: false });
    this.#pool ??= newPool();
    try {
      const vectors = await this.#pool.run({ model: this.#model, texts });
      this.#note({ state: 'ok', reason: undefined });
      return vectors;
    } catch (error) {
      if (!this.#isClosed)
        this.#note({ state: 'failing', reason: 'the model cannot be run' }, loadFailureOf(error));
      throw new EmbeddingError('The encoder gives no vectors.', { isLasting: false, cause: error });
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
  // The sources are run as they are by tests, and as JavaScript by the service.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new Piscina({
    filename: new URL(`./encoder-entry.${extension}`, import.meta.url).href,
    ...(extension === 'ts' && { execArgv: ['--import', 'tsx'] }),
    minThreads: 0,
    maxThreads: 1,
    // A search that came after a rest would wait 0.2 s for the model again.
    idleTimeout: Number.POSITIVE_INFINITY,
  });
}

/** In order, each of a text or of several short ones. */
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

/** Of all that the vector of a stored text depends on besides the text. */
function versionOf(model: ModelFolder, documentPrefix: string): string {
  const facts = [fingerprintOf(model), model.tokensMax, model.pooling, documentPrefix];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 12);
}
