import { describe, expect, it, vi } from 'vitest';
import { PrefixLookup } from './key-service.ts';

describe('a look for public parts of keys', () => {
  it('a flood of wrong keys costs the store one look, and a right key among them is found', async () => {
    const knownPrefixes = vi.fn(async (prefixes: readonly string[]) =>
      prefixes.filter((prefix) => prefix === 'right'),
    );
    const lookup = new PrefixLookup({ knownPrefixes });
    const asked = Array.from({ length: 400 }, (_, i) => lookup.isKnown(`wrong-${i}`));
    expect(await lookup.isKnown('right')).toBe(true);
    expect(await Promise.all(asked)).not.toContain(true);
    expect(knownPrefixes).toHaveBeenCalledTimes(1);
  });

  it('a look asks for 500 at most', async () => {
    const sizes: number[] = [];
    const lookup = new PrefixLookup({
      knownPrefixes: async (prefixes) => {
        sizes.push(prefixes.length);
        return [];
      },
    });
    await Promise.all(Array.from({ length: 1200 }, (_, i) => lookup.isKnown(`wrong-${i}`)));
    expect(sizes).toEqual([500, 500, 200]);
  });

  it('a store that fails fails those who asked, and the next look works', async () => {
    const knownPrefixes = vi.fn(async (prefixes: readonly string[]) => [...prefixes]);
    knownPrefixes.mockRejectedValueOnce(new Error('away'));
    const lookup = new PrefixLookup({ knownPrefixes });
    await expect(lookup.isKnown('a')).rejects.toThrow('away');
    expect(await lookup.isKnown('a')).toBe(true);
  });
});
