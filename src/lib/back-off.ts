/** Waits before the next try, in ms. */
export interface BackOff {
  readonly first: number;
  readonly most: number;
}

/** Wait in ms after this many failures in a row: doubled by each, 0 after none. */
export function backOffMs(failures: number, { first, most }: BackOff): number {
  return failures === 0 ? 0 : Math.min(most, first * 2 ** (failures - 1));
}

/** The wait with half of it random, so that clients that failed together do not retry together. */
export function withJitter(ms: number): number {
  return ms / 2 + (Math.random() * ms) / 2;
}
