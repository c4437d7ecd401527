/** A word of other letters and near meaning. */
export interface Synonym {
  readonly word: string;
  /** 0.3 to 1. */
  readonly closeness: number;
}

export interface Synonyms {
  /** Near words of a folded, lower-case word, nearest first, at most 32; none for a word that is not known. */
  near(word: string): readonly Synonym[];
}
