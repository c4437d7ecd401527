/** One word, number, mark or identifier of a text. */
export interface Token {
  /** `text.slice(start, end)` of the whole text. */
  readonly word: string;
  /** In UTF-16 units. */
  readonly start: number;
  readonly end: number;
}
