/** A version of a step's computation: each new version runs again for every memory. */
export interface StepKey {
  readonly name: string;
  readonly version: number;
  /**
   * The step whose results it needs. Its work is recorded
   * whenever that step is done for a version, also again.
   */
  readonly after?: string;
}
