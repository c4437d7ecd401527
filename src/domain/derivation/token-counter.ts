/** Counts tokens of an LLM by day, for all processes of a store, across restarts. */
export interface TokenCounter {
  /**
   * Adds tokens, less than 0 to give some back, and forgets the days before.
   * @param day `YYYY-MM-DD`
   * @returns those of the day, these included
   */
  addTokens(day: string, tokens: number): Promise<number>;
  tokensOf(day: string): Promise<number>;
}
