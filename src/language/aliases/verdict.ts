/**
 * Whether two names are of one thing. `maybe` is for merging only where the user's data has exactly one candidate, shown and
 * undoable.
 */
export type AliasVerdict = 'same' | 'maybe' | 'no';

/** Without accents, in lower case. */
export function foldName(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .trim();
}
