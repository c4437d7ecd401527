import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effectiveStates } from '../memories/memory.ts';
import { DAY_MS } from '../shared/time.ts';
import { bandOf, type QualityTraits, qualityOf } from './quality.ts';

const now = 1_800_000_000_000;
const traits: QualityTraits = {
  id: 'a',
  content: 'The harbour office opens at nine and closes at noon on Sundays.',
  createdAt: now,
  effectiveState: 'current',
  importance: null,
  edges: 0,
  derived: 0,
  selected: 0,
  notSelected: 0,
  isNamed: false,
};
const scoreOf = (change: Partial<QualityTraits>) => qualityOf({ ...traits, ...change }, now).score;

describe('the quality of a memory', () => {
  it('the quality of a memory rises with what it says, its age, use, connections and importance', () => {
    const score = scoreOf({});
    expect(scoreOf({ content: 'ok' })).toBeLessThan(score);
    expect(scoreOf({ content: 'test test test test test test' })).toBeLessThan(score);
    expect(scoreOf({ createdAt: now - 400 * DAY_MS })).toBeLessThan(score);
    expect(scoreOf({ selected: 3 })).toBeGreaterThan(score);
    expect(scoreOf({ notSelected: 3 })).toBeLessThan(score);
    expect(scoreOf({ edges: 2 })).toBeGreaterThan(score);
    expect(scoreOf({ importance: 9 })).toBeGreaterThan(score);
    expect(scoreOf({ effectiveState: 'superseded' })).toBeCloseTo(score - 0.3);
  });

  it('the quality of any memory is from 0 to 1, as is each of its parts', () => {
    const any = fc.record({
      content: fc.string({ unit: 'grapheme' }),
      createdAt: fc.integer(),
      effectiveState: fc.constantFrom(...effectiveStates),
      importance: fc.option(fc.double({ noNaN: true })),
      edges: fc.nat(),
      derived: fc.nat(),
      selected: fc.nat(),
      notSelected: fc.nat(),
    });
    fc.assert(
      fc.property(any, (change) => {
        const { score, parts } = qualityOf({ ...traits, ...change }, now);
        for (const value of [score, ...Object.values(parts)]) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it('the quality of a memory is high from .7 and medium from .4', () => {
    expect([0.7, 0.69, 0.4, 0.39].map(bandOf)).toEqual(['high', 'medium', 'medium', 'low']);
  });
});
