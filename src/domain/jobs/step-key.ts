/** What a step computes, as of one version of the step: a new version is computed for every memory again. */
export interface StepKey {
  readonly name: string;
  readonly version: number;
  /** The step whose results it builds on: its work is recorded when that one is done for a version, again each time. */
  readonly after?: string;
}
