import { addDigests } from './digest.ts';
import type { Source } from './item.ts';
import type { ItemRange } from './item-ranges.ts';

/**
 * Resuming by item numbers is correct only if the imported items are unchanged.
 * @throws Error naming the first changed item
 */
export async function assertUnchanged(source: Source, done: readonly ItemRange[]): Promise<void> {
  let index = 0;
  let sum = 0;
  for await (const { number, digest } of source.items()) {
    const range = done[index];
    if (range === undefined) return;
    const [first, last, expected] = range;
    if (number < first) continue;
    sum = addDigests(sum, digest);
    if (number < last) continue;
    if (number > last || sum !== expected) break;
    index++;
    sum = 0;
  }
  const range = done[index];
  if (range) throw new Error(`Something between ${range[0]} and ${range[1]} is not what was imported.`);
}
