import { LRUCache } from 'lru-cache';

/** UTF-16 units of words and tags in the cache: about 2,000 sentences, 8 MB. */
const unitsMax = 400_000;
/** Never part of a stored text. */
const separator = '\u0000';

/**
 * Caches the latest results of a pure function of a sentence's words (and lists of the same length), since
 * deriving a text and comparing it with others both read its sentences. Callers must not change the results.
 */
export function remembered<A extends readonly (readonly string[])[], R extends object>(
  compute: (...lists: A) => R,
): (...lists: A) => R {
  const results = new LRUCache<string, R>({ maxSize: unitsMax, sizeCalculation: (_, key) => key.length + 1 });
  return (...lists) => {
    const key = lists.map((list) => list.join(separator)).join(separator);
    const known = results.get(key);
    if (known) return known;
    const result = compute(...lists);
    results.set(key, result);
    return result;
  };
}
