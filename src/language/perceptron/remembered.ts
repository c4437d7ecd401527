import { LRUCache } from 'lru-cache';

/** UTF-16 units of the words and tags whose results are kept: some 2,000 sentences, 8 MB. */
const unitsMax = 400_000;
/** No text that is stored has it. */
const separator = '\u0000';

/**
 * A pure function of the words of a sentence, and of lists of the same length, that keeps its latest results: deriving a
 * text and comparing it with others read its sentences twice. Nobody may change what it gives.
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
