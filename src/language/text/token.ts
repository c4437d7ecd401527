/** A run of a text that is read as one word, number, mark or identifier. */
export interface Token {
  /** `text.slice(start, end)` of the whole text. */
  readonly word: string;
  /** In UTF-16 units. */
  readonly start: number;
  readonly end: number;
}
