/** Word pieces of a model that has a vector for each. */
export interface PieceTable {
  readonly dimension: number;
  /** `dimension` numbers per piece, in order of ids, to be multiplied by its scale. */
  readonly vectors: Int8Array;
  readonly scales: Float32Array;
  /** Pieces by id; continuations within a word begin with `##`. Fewer than 65,536. */
  readonly vocabulary: readonly string[];
  /** Ids of the pieces of a text, in order; unknown words are left out. */
  piecesOf(text: string): number[];
}
