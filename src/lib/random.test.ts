import { describe, expect, it } from 'vitest';
import { newId } from './random.ts';

describe('new ids', () => {
  it('new ids are random in their first six characters, by which people name records', () => {
    const ids = Array.from({ length: 10_000 }, newId);
    const beginnings = new Set(ids.map((id) => id.slice(0, 6)));
    // Some four pairs are alike; a shared beginning of three characters in sixty-four ids would make eighty.
    expect(ids.length - beginnings.size).toBeLessThan(25);
    for (const id of ids.slice(0, 100))
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-/);
  });
});
