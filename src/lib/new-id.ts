import { randomUUID } from 'node:crypto';

/** A random UUID (version 4): people name memories by the first six characters, so these are random too. */
export function newId(): string {
  return randomUUID();
}

const sharedLength = 3;
const idsPerBeginning = 64;

/**
 * Makes random UUIDs (version 4, 110 bits of each its own) of which sixty-four in a row share their first three
 * characters, random too: written together they stand in one page of an index, instead of each in another. For what
 * nobody names by the beginning of its id.
 */
export function newNeighbouringIds(): () => string {
  let beginning = '';
  let left = 0;
  return () => {
    if (left === 0) {
      beginning = randomUUID().slice(0, sharedLength);
      left = idsPerBeginning;
    }
    left--;
    return beginning + randomUUID().slice(sharedLength);
  };
}
