const separators = /[\\/]/;

/** The last part of a path: `retry.ts` of `src/queue/retry.ts`. */
function baseName(path: string): string {
  return path.split(separators).filter(Boolean).at(-1) ?? path;
}

/**
 * The name without its extension, split into words: `parse order`
 * of `src/parseOrder.ts`; with the folder's name if it is short.
 */
function partsOf(path: string): string[] {
  const stem = baseName(path).replace(/(?!^)\.[^.]*$/, '');
  return stem
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part.length > 1)
    .map((part) => part.toLowerCase());
}

/** The query for a path: the whole path, its last part and the words of that. */
export function wordsOfPath(path: string): string {
  return [...new Set([path, baseName(path), ...partsOf(path)])].join(' ');
}

/** The spellings of a path, in small letters: the whole, its last part, and all words of a name that has at least two. */
export function spellingsOf(path: string): string[] {
  const parts = partsOf(path);
  const joined = parts.length > 1 ? [' ', '-', '_', ''].map((between) => parts.join(between)) : [];
  return [path.toLowerCase(), baseName(path).toLowerCase(), ...joined];
}
