/** Reproducible random choices: equal seeds give equal sequences. */
export interface Random {
  /** A number in [0, 1). */
  float(): number;
  /** An integer in [low, high]. */
  int(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** Up to `count` different items, in their order. */
  sample<T>(items: readonly T[], count: number): T[];
}

/** mulberry32; `seed` is any 32-bit integer. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const float = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const int = (low: number, high: number) => low + Math.floor(float() * (high - low + 1));
  const pick = <T>(items: readonly T[]): T => {
    if (items.length === 0) throw new Error('nothing to pick from');
    return items[int(0, items.length - 1)] as T;
  };
  const sample = <T>(items: readonly T[], count: number): T[] => {
    let expected = Math.min(count, items.length);
    let left = items.length;
    return items.filter(() => {
      const taken = float() < expected / left;
      left -= 1;
      if (taken) expected -= 1;
      return taken;
    });
  };
  return { float, int, chance: (probability) => float() < probability, pick, sample };
}

const tokenLetters = 'bcfkpqvwxz';

/**
 * A word that no other number gives, that no stemmer or splitter of words changes, and that is three slips or more
 * away from every other: a search reads a word that nobody wrote as the nearest one.
 */
export function uniqueWord(number: number): string {
  const digits = String(number).padStart(9, '0');
  return `q${[...digits].map((digit) => tokenLetters[Number(digit)].repeat(3)).join('')}q`;
}
