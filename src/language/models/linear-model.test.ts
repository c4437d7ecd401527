import { describe, expect, it } from 'vitest';
import { randomFrom } from '../../../test/support/random.ts';
import { LinearModel } from './linear-model.ts';

describe('the score of a decision', () => {
  it.each(['pos', 'ner', 'dep'])(
    'by SIMD equals that without, to the last digit, with the weights of %s',
    (name) => {
      const [bySimd, plain] = [true, false].map((withSimd) =>
        LinearModel.load(`models/language-en/${name}`, withSimd),
      );
      expect([bySimd.hasSimd, plain.hasSimd]).toEqual([true, false]);
      const random = randomFrom(3);
      for (const count of [1, 2, 17, 55, 128]) {
        const features = Int32Array.from({ length: 128 }, () => random.int(0, bySimd.mask));
        // The last row ends with the last weight.
        features[0] = bySimd.mask;
        const scores = bySimd.score(features, count);
        expect(scores).toEqual(plain.score(features, count));
        expect(scores).toHaveLength(bySimd.classes);
        expect(scores.some((score) => score !== 0)).toBe(true);
      }
    },
  );
});
