import type { Embedder, TextKind } from '../../src/domain/embedding/embedder.ts';
import { EmbeddingError } from '../../src/domain/embedding/embedder.ts';
import { type EmbeddingModels, loadBundled } from '../../src/embedding/load-models.ts';
import type { Gate } from './gate.ts';

/** An embedder that is not immediate, and does what a test says: the bundled model under another name. */
export class SlowEmbedder implements Embedder {
  readonly space;
  readonly longestInput: number;
  readonly relatedCosine = 0.3;
  /** Texts of documents it was given, in order. */
  readonly texts: string[] = [];
  /** Documents wait at it while it is set and closed. */
  gate: Gate | undefined;
  /** The same for queries. */
  queryGate: Gate | undefined;
  /** While true, nothing is answered. */
  isAway = false;
  /** Texts that it never takes hold this. */
  refused: string | undefined;
  readonly #bundled = loadBundled().bundled;

  constructor(model = 'slow-model', longestInput = 10_000) {
    this.space = { model, dimension: this.#bundled.space.dimension, version: '1' };
    this.longestInput = longestInput;
  }

  get models(): EmbeddingModels {
    return { ...loadBundled(), embedder: this };
  }

  async embed(texts: readonly string[], kind: TextKind): Promise<Float32Array[]> {
    await (kind === 'document' ? this.gate : this.queryGate)?.pass(async () => undefined);
    if (this.isAway) throw new EmbeddingError('nobody answers', { isLasting: false });
    const { refused } = this;
    if (refused !== undefined && texts.some((text) => text.includes(refused)))
      throw new EmbeddingError('a text is refused', { isLasting: true });
    if (kind === 'document') this.texts.push(...texts);
    return texts.map((text) => this.#bundled.embedNow(text));
  }
}
