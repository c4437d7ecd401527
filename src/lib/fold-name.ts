const spaces = /\s+/g;

/** The name in lower case, without accents and outer spaces. */
export function foldName(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .trim();
}

/** The key by which names of entities are compared: folded, with single spaces. */
export function nameKey(name: string): string {
  return foldName(name).replace(spaces, ' ');
}
