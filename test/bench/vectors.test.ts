import { describe, expect, it } from 'vitest';
import { recallOf } from '../../bench/vectors/brute-force.ts';
import { measureEngine } from '../../bench/vectors/measure.ts';
import { generateTexts } from '../../bench/vectors/texts.ts';
import { engines } from '../support/database.ts';

describe.each(engines)('vectors found on %s', (engine) => {
  it('vectors found are 97 % of the exact first 20, whatever the filter keeps, among other users', async () => {
    const { filters, indexMiB, codesMiB } = await measureEngine(engine, generateTexts(1000, 20, 11), 1);
    expect(filters.length).toBe(4);
    for (const { filter, recall } of filters) expect(recall, filter).toBeGreaterThanOrEqual(0.97);
    expect(indexMiB).toBeGreaterThan(codesMiB);
  }, 120_000);
});

describe('recall against brute force', () => {
  const cosines = Float32Array.from([0.9, 0.1, 0.5, 0.5, 0.2]);
  const all = () => true;

  it('recall against brute force counts what is among the first, and no matter which of equals', () => {
    expect(recallOf(cosines, all, [0, 3], 2)).toEqual({ kept: 2, requested: 2 });
    expect(recallOf(cosines, all, [0, 4], 2)).toEqual({ kept: 1, requested: 2 });
    expect(recallOf(cosines, all, [], 2)).toEqual({ kept: 0, requested: 2 });
  });

  it('recall against brute force expects no more than pass', () => {
    const passes = (i: number) => i === 1 || i === 4;
    expect(recallOf(cosines, passes, [4, 0], 20)).toEqual({ kept: 1, requested: 2 });
  });
});
