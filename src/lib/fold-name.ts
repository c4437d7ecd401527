const spaces = /\s+/g;

/** Without accents, in lower case. */
export function foldName(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .trim();
}

/** What names of entities are compared by: folded, with single spaces. */
export function nameKey(name: string): string {
  return foldName(name).replace(spaces, ' ');
}
