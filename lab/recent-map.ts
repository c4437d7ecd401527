/**
 * Compares our RecentMap with lru-cache. Looks words up as word pieces and
 * stems of texts are looked up: a few words are most of the look-ups, and a
 * missing word is inserted. By turns in one process; processor time.
 *
 *     npm run bench recent-map
 */
import { LRUCache } from 'lru-cache';
import { RecentMap } from '../src/lib/collections.ts';
import { randomFrom } from '../test/support/random.ts';

const rounds = 15;
const asks = 200_000;
const random = randomFrom(5);
/** Words by Zipf's law: the logarithm of the rank is uniform. */
const wordsOf = (different: number) =>
  Array.from(
    { length: asks },
    () => `word${Math.floor(different ** (random.int(0, 1_000_000) / 1_000_000))}`,
  );

interface Kept {
  get(word: string): string | undefined;
  set(word: string, value: string): unknown;
}

function ask(kept: Kept, words: readonly string[]): { ns: number; missed: number } {
  let missed = 0;
  const began = process.cpuUsage();
  for (const word of words) {
    if (kept.get(word) !== undefined) continue;
    missed++;
    kept.set(word, word);
  }
  const { user, system } = process.cpuUsage(began);
  return { ns: ((user + system) * 1000) / words.length, missed: missed / words.length };
}

console.log('different words | most | kept in | ns a look-up | missed');
for (const [different, max] of [
  [10_000, 40_000],
  [100_000, 40_000],
  [100_000, 10_000],
]) {
  const words = wordsOf(different);
  const kinds: [string, () => Kept][] = [
    ['RecentMap', () => new RecentMap<string, string>(max)],
    ['LRUCache', () => new LRUCache<string, string>({ max })],
  ];
  const ns = kinds.map((): number[] => []);
  const missed: number[] = [];
  for (let round = 0; round < rounds; round++)
    for (const k of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const result = ask(kinds[k][1](), words);
      ns[k].push(result.ns);
      missed[k] = result.missed;
    }
  for (const [k, [name]] of kinds.entries()) {
    const median = ns[k].sort((a, b) => a - b)[rounds >> 1];
    console.log([different, max, name, median.toFixed(0), missed[k].toFixed(3)].join(' | '));
  }
}
