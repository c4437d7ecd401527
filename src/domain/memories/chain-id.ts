import { newNeighbouringIds } from '../../lib/new-id.ts';

/** The id that all versions of a named memory share. */
export const newChainId = newNeighbouringIds();
