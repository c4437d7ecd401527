import type { Embedder, VectorSpace } from './embedder.ts';

/** A vector space of the store. */
export interface KnownSpace {
  readonly space: VectorSpace;
  /** See `Embedder.source`. */
  readonly source: string | undefined;
  /** Undefined until it is measured. */
  readonly relatedCosine: number | undefined;
}

/** The vector spaces of the store by id. */
export interface SpaceDirectory {
  spaceOf(id: number): Promise<KnownSpace | undefined>;
}

/** Embedder of queries in a space. */
interface SpaceEmbedder {
  readonly embedder: Embedder;
  /** The cosine at which two texts are plausibly related: similarity 0.5. */
  readonly relatedCosine: number;
}

/** Finds the embedder of a space by its id; undefined if this process cannot run it. */
export type EmbedderOf = (space: number) => Promise<SpaceEmbedder | undefined>;
