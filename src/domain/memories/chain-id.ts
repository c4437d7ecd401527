import { newNeighbouringIds } from '../../lib/new-id.ts';

/** Makes the id that all versions of a named memory share. */
export const newChainId = newNeighbouringIds();
