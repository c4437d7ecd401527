import type { StepKey } from '../jobs/step-key.ts';

export const embedStepName = 'embed';

/** The step that makes the vectors of a space: each space is a version of the step. */
export function embedStepOf(space: number): StepKey {
  return { name: embedStepName, version: space };
}

/** A vector space that gets the vectors of new and earlier versions. */
export interface SpaceToEmbed {
  readonly id: number;
  /**
   * One list per text, in order: the vector of the whole text,
   * then those of the parts of a long one. @throws EmbeddingError
   */
  encode(contents: readonly string[]): Promise<readonly (readonly Int8Array[])[]>;
}

/** The vector spaces of the store, as this process last read them. */
export interface SpacesToEmbed {
  /** Spaces that serve or are being built, if this process can run their model. */
  toEmbed(): readonly SpaceToEmbed[];
}

/** Writes vectors after their version was committed. */
export interface LateVectorWriter {
  /** Inserts the vectors of versions that have none in the space. Advances the user's change counter. */
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
