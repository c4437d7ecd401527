import type { Embedder } from './embedder.ts';
import type { KnownSpace } from './space-embedder.ts';

export type FormerSpace = Pick<KnownSpace, 'space' | 'source'>;

/** The models that a store was configured for before and that are still served somewhere. */
export interface FormerEmbedders {
  /** The embedder of a space made earlier; undefined where nothing says how to ask it. */
  of(known: FormerSpace): Embedder | undefined;
  /** Ends what the embedders of all other spaces still do: a server that is gone would be asked for ever. */
  retain(spaces: readonly FormerSpace[]): void;
  /** Ends what all of them still do. */
  close(): Promise<void>;
}
