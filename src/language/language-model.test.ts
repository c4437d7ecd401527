import { describe, expect, it } from 'vitest';
import { remembered } from './language-model.ts';

describe('a remembered function of a sentence', () => {
  it('a remembered function of a sentence is computed once for the same words and tags', () => {
    let computed = 0;
    const join = remembered((words: readonly string[], tags: readonly string[]) => {
      computed++;
      return { text: words.map((word, i) => `${word}/${tags[i]}`).join(' ') };
    });
    expect(join(['a', 'dog'], ['DT', 'NN'])).toBe(join(['a', 'dog'], ['DT', 'NN']));
    expect(computed).toBe(1);
  });

  it('a remembered function of a sentence tells words that only look alike when they are joined', () => {
    const count = remembered((words: readonly string[]) => ({ count: words.length }));
    expect([count(['a b']).count, count(['a', 'b']).count]).toEqual([1, 2]);
  });
});
