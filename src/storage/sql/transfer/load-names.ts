/** Names of users who are being loaded, or were replaced and wait to be erased; no user can be given one like them. */
export const loadingName = (name: string) => `(loading) ${name}`;
export const replacedName = (id: number) => `(replaced) ${id}`;
export const isReplaced = (name: string) => name.startsWith('(replaced) ');

/** False for the name of a user who is half imported, or was replaced and waits to be erased. */
export function isActiveName(name: string): boolean {
  return !isReplaced(name) && !name.startsWith('(loading) ');
}
