/** Traits of a memory's text that its rank depends on, apart from terms and vectors. */
export interface TextTraits {
  /**
   * Distinct word pieces of the static model, in ascending
   * order; without stop words, punctuation and the speaker.
   */
  readonly pieces: Uint16Array;
  readonly hasNumber: boolean;
  /** Words with a capital within a sentence. */
  readonly names: number;
  /** Kinds of values that it states (a price, a time), as bits. */
  readonly valueKinds: number;
}

const bytesPerEntry = 200;

/** Size of traits in a cache. */
export function bytesOfTraits({ pieces }: TextTraits): number {
  return bytesPerEntry + pieces.byteLength;
}
