/** A different word of similar meaning. */
export interface Synonym {
  readonly word: string;
  /** 0.3 to 1. */
  readonly closeness: number;
}

export interface Synonyms {
  /** Synonyms of a folded, lower-case word, nearest first, at most 32; none for an unknown word. */
  near(word: string): readonly Synonym[];
}
