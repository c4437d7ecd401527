import { describe, expect, it } from 'vitest';
import { retagged } from './update-memory.ts';

describe('retagged', () => {
  it('a change of tags removes first and then adds, each topic once whatever its case', () => {
    expect(retagged(['Old', 'Kept'], { add: ['new', 'KEPT'], remove: ['old'] })).toEqual(['Kept', 'new']);
    expect(retagged(['a'], { add: ['a'], remove: ['a'] })).toEqual(['a']);
  });

  it('a change of tags to more than 50 topics is refused', () => {
    const topics = Array.from({ length: 50 }, (_, i) => `t${i}`);
    expect(() => retagged(topics, { add: ['one-more'], remove: [] })).toThrow(/^topics must have at most 50/);
    expect(retagged(topics, { add: ['one-more'], remove: ['t0'] })).toHaveLength(50);
  });
});
