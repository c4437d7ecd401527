/** What a step computes, as of one version of the step: a new version is computed for every memory again. */
export interface StepKey {
  readonly name: string;
  readonly version: number;
}
