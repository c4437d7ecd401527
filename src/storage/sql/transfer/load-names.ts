const loadingPrefix = '(loading) ';
const replacedPrefix = '(replaced) ';

/** Prefixes of the names of users that are being loaded, or that were replaced and wait to be erased. */
export const inactivePrefixes = [loadingPrefix, replacedPrefix] as const;

/** Names with these prefixes. No user can be given one. */
export const loadingName = (name: string) => loadingPrefix + name;
export const replacedName = (id: number) => replacedPrefix + id;
export const isReplaced = (name: string) => name.startsWith(replacedPrefix);

/** False for the name of a user that is half imported, or that was replaced and waits to be erased. */
export function isActiveName(name: string): boolean {
  return !inactivePrefixes.some((prefix) => name.startsWith(prefix));
}
