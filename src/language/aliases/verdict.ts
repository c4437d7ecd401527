export { foldName } from '../../lib/names.ts';

/**
 * Whether two names name the same thing. `maybe` justifies a merge only if the user's data has exactly one
 * candidate; the merge is shown and can be undone.
 */
export type AliasVerdict = 'same' | 'maybe' | 'no';
