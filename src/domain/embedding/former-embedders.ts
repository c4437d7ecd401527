import type { Embedder } from './embedder.ts';
import type { KnownSpace } from './space-embedder.ts';

export type FormerSpace = Pick<KnownSpace, 'space' | 'source'>;

/** Formerly configured models whose servers still run. */
export interface FormerEmbedders {
  /** The embedder of an earlier space; undefined if its source is unknown. */
  of(known: FormerSpace): Embedder | undefined;
  /** Stops the embedders of all other spaces: a server that is gone would be retried for ever. */
  retain(spaces: readonly FormerSpace[]): void;
  /** Stops all of them. */
  close(): Promise<void>;
}
