import { randomUUID } from 'node:crypto';

/**
 * Makes random UUIDs (version 4). `inARow` consecutive ones share their first `sharedLength` characters, also
 * random, so that ids written together are in one page of an index instead of one page each.
 */
function neighbouringIds({ sharedLength, inARow }: { sharedLength: number; inARow: number }): () => string {
  let beginning = '';
  let left = 0;
  return () => {
    if (left === 0) {
      beginning = randomUUID().slice(0, sharedLength);
      left = inARow;
    }
    left--;
    return beginning + randomUUID().slice(sharedLength);
  };
}

/**
 * A random UUID. People refer to memories by the first six characters: among 10,000 ids about
 * four pairs share these, and about three would if all bits were independent.
 */
export const newId = neighbouringIds({ sharedLength: 2, inARow: 16 });

/** Makes ids that people do not refer to by their beginning: sixty-four in a row share three characters. */
export const newNeighbouringIds = () => neighbouringIds({ sharedLength: 3, inARow: 64 });

/**
 * Random numbers from 0 to below 1; a seed determines the sequence
 * (mulberry32, by Tommy Ettinger; public domain).
 */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
