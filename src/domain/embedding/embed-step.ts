import type { StepKey } from '../jobs/step-key.ts';

export const embedStepName = 'embed';

/** The step that makes the vectors of a space: each space is a version of it. */
export function embedStepOf(space: number): StepKey {
  return { name: embedStepName, version: space };
}

/** A vector space that is filled with vectors of what is written and of what was written before. */
export interface SpaceToEmbed {
  readonly id: number;
  /** One list a text, in order: of the whole text, then of the parts of a long one. @throws EmbeddingError */
  encode(contents: readonly string[]): Promise<readonly (readonly Int8Array[])[]>;
}

/** The vector spaces of the store, as this process last read them. */
export interface SpacesToEmbed {
  /** Those that serve or are being built, and whose model can be had in this process. */
  toEmbed(): readonly SpaceToEmbed[];
}

/** Vectors that come after their version was committed. */
export interface LateVectorWriter {
  /** Of versions without vectors in the space. Moves the user's change counter. */
  insertLate(
    space: number,
    versions: readonly {
      readonly doc: number;
      /** See `StepItem`. */
      readonly isOlder: boolean;
      readonly vectors: readonly Int8Array[];
    }[],
  ): Promise<void>;
}
