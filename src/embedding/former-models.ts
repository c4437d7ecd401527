import type { Embedder, FormerEmbedders, FormerSpace } from '../domain/embedding/embedder.ts';

/** Models of several kinds that served before; each space is of one kind at most. */
export class FormerModels implements FormerEmbedders {
  readonly #kinds: readonly FormerEmbedders[];

  constructor(kinds: readonly FormerEmbedders[]) {
    this.#kinds = kinds;
  }

  of(known: FormerSpace): Embedder | undefined {
    for (const kind of this.#kinds) {
      const embedder = kind.of(known);
      if (embedder) return embedder;
    }
    return undefined;
  }

  retain(spaces: readonly FormerSpace[]): void {
    for (const kind of this.#kinds) kind.retain(spaces);
  }

  async close(): Promise<void> {
    await Promise.all(this.#kinds.map((kind) => kind.close()));
  }
}
