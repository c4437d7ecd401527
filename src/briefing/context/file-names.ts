const separators = /[\\/]/;

/** The last part of a path: `retry.ts` of `src/queue/retry.ts`. */
function baseName(path: string): string {
  return path.split(separators).filter(Boolean).at(-1) ?? path;
}

/** The name without its extension, its words apart: `parse order` of `src/parseOrder.ts`; the folder's too where it is short. */
function partsOf(path: string): string[] {
  const stem = baseName(path).replace(/(?!^)\.[^.]*$/, '');
  return stem
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part.length > 1)
    .map((part) => part.toLowerCase());
}

/** What a path is searched by: the whole of it, its last part and the words of that. */
export function wordsOfPath(path: string): string {
  return [...new Set([path, baseName(path), ...partsOf(path)])].join(' ');
}

/** Whether a text has the path, its last part, or all words of a name that has at least two, next to each other. */
export function namesFile(text: string, path: string): boolean {
  const lower = text.toLowerCase();
  if (lower.includes(path.toLowerCase()) || lower.includes(baseName(path).toLowerCase())) return true;
  const parts = partsOf(path);
  return parts.length > 1 && [' ', '-', '_', ''].some((between) => lower.includes(parts.join(between)));
}
