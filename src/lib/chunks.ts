/** The items in order, in arrays of at most `size`. */
export function* chunksOf<T>(items: readonly T[], size = 500): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}
