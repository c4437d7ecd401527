import type { Embedder } from './embedder.ts';
import type { KnownSpace } from './space-embedder.ts';

/** The models that a store was configured for before and that are still served somewhere. */
export interface FormerEmbedders {
  /** The embedder of a space made earlier; undefined where nothing says how to ask it. */
  of(known: Pick<KnownSpace, 'space' | 'source'>): Embedder | undefined;
  /** Ends requests in flight; nothing is asked any more. */
  close(): void;
}
