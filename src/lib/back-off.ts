/** How long to wait before a try again, in milliseconds. */
export interface BackOff {
  readonly first: number;
  readonly most: number;
}

/** Milliseconds until the next try after so many failures in a row: doubled each time, 0 after none. */
export function backOffMs(failures: number, { first, most }: BackOff): number {
  return failures === 0 ? 0 : Math.min(most, first * 2 ** (failures - 1));
}

/** Half of the wait is fixed and half is chance, so that those who failed together do not come back together. */
export function withJitter(ms: number): number {
  return ms / 2 + (Math.random() * ms) / 2;
}
