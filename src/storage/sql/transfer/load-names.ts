const loadingPrefix = '(loading) ';
const replacedPrefix = '(replaced) ';

/** Beginnings of the names of users who are being loaded, or were replaced and wait to be erased. */
export const inactivePrefixes = [loadingPrefix, replacedPrefix] as const;

/** Names of such users; no user can be given one like them. */
export const loadingName = (name: string) => loadingPrefix + name;
export const replacedName = (id: number) => replacedPrefix + id;
export const isReplaced = (name: string) => name.startsWith(replacedPrefix);

/** False for the name of a user who is half imported, or was replaced and waits to be erased. */
export function isActiveName(name: string): boolean {
  return !inactivePrefixes.some((prefix) => name.startsWith(prefix));
}
