import { randomUUID } from 'node:crypto';

/**
 * Makes random UUIDs (version 4) of which so many in a row share their first characters, random too: written together
 * they stand in one page of an index, instead of each in another.
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
 * A random UUID. People name memories by the first six characters: among 10,000 ids some four pairs share these, where
 * all bits are random three do.
 */
export const newId = neighbouringIds({ sharedLength: 2, inARow: 16 });

/** Makes ids of one kind that nobody names by their beginning: sixty-four in a row share three characters. */
export const newNeighbouringIds = () => neighbouringIds({ sharedLength: 3, inARow: 64 });
