/** Word pieces of a model that has a vector for each. */
export interface PieceTable {
  readonly dimension: number;
  /** `dimension` numbers a piece, in order of ids, to be multiplied by its scale. */
  readonly vectors: Int8Array;
  readonly scales: Float32Array;
  /** By id; what goes on within a word begins with `##`. Fewer than 65,536. */
  readonly vocabulary: readonly string[];
  /** Ids of the pieces of a text, in order; unknown words are left out. */
  piecesOf(text: string): number[];
}
