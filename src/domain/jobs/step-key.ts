/** A version of a step's computation: each new version runs again for every memory. */
export interface StepKey {
  readonly name: string;
  readonly version: number;
  /**
   * The step whose results it needs. Its work is recorded
   * whenever that step is done for a version, also again.
   */
  readonly after?: string;
  /**
   * Whether it is done with the step that it follows, in one transaction: it needs only the memory, costs little and
   * never waits. Its work is recorded only if that fails, so that its error does not hold up the other step.
   */
  readonly isJoined?: boolean;
}
