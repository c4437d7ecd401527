/** Counts tokens of an LLM by day, for all processes of a store, across restarts. */
export interface TokenCounter {
  /**
   * Adds tokens (negative to return some) and deletes the counts of earlier days.
   * @param day `YYYY-MM-DD`
   * @returns the new count of the day
   */
  addTokens(day: string, tokens: number): Promise<number>;
  tokensOf(day: string): Promise<number>;
}
