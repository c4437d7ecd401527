/** Names of users who are being loaded, or were replaced and wait to be erased; no user can be given one like them. */
export const loadingName = (name: string) => `(loading) ${name}`;
export const replacedName = (id: number) => `(replaced) ${id}`;
export const isReplaced = (name: string) => name.startsWith('(replaced) ');

/** False for a user who is half-loaded or about to be erased. */
export function isSettled(name: string): boolean {
  return !isReplaced(name) && !name.startsWith('(loading) ');
}
