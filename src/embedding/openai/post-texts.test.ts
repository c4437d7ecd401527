import { expect, it } from 'vitest';
import { RequestError, readVectors } from './post-texts.ts';

const answer = (indexes: readonly unknown[]) =>
  JSON.stringify({ data: indexes.map((index, i) => ({ index, embedding: [1, i] })) });

it('a response with vectors is put in the order of its indexes', () => {
  const vectors = readVectors(answer([1, 0]), 2, 2);
  expect(vectors.map(([first]) => first)).toEqual([Math.fround(Math.SQRT1_2), 1]);
});

it.each([
  ['in the billions', [4294967294, 1]],
  ['one past the last', [0, 2]],
  ['negative', [-1, 0]],
  ['between two numbers', [0.5, 1]],
  ['no number', ['0', 1]],
  ['given twice', [1, 1]],
  ['given for one of two', [0, undefined]],
])('an index that is %s is refused as a wrong response, without memory allocated for it', (_, indexes) => {
  expect(() => readVectors(answer(indexes), 2, 2)).toThrow(RequestError);
});

it('a response that is nested too deep is refused before it is read', () => {
  const nested = '['.repeat(100_000) + ']'.repeat(100_000);
  expect(() => readVectors(`{"data":${nested}}`, 1, 2)).toThrow('is no JSON');
});
