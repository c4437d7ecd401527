export { foldName } from '../../lib/names.ts';

/**
 * Whether two names are of one thing. `maybe` is for merging only where the user's data has exactly one candidate, shown and
 * undoable.
 */
export type AliasVerdict = 'same' | 'maybe' | 'no';
