import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cosine, product, toInt8, toWholeQuery } from '../quantize.ts';
import { Int8Products, int8Products, lanes } from './int8-products.ts';

const anyCase = fc
  .tuple(fc.integer({ min: 1, max: 64 }), fc.integer({ min: 1, max: 60 }))
  .chain(([sixteens, count]) =>
    fc.record({
      query: fc.int16Array({
        minLength: sixteens * lanes,
        maxLength: sixteens * lanes,
        min: -2000,
        max: 2000,
      }),
      vectors: fc.int8Array({ minLength: count * sixteens * lanes, maxLength: count * sixteens * lanes }),
    }),
  );

describe('products of a query with vectors', () => {
  it.each([
    ['by SIMD', int8Products],
    ['without SIMD', new Int8Products(undefined)],
  ])('products of a query with vectors are the sums of products, %s', (_, products) => {
    fc.assert(
      fc.property(anyCase, ({ query, vectors }) => {
        const stride = query.length;
        const most = products.blockOf(stride) * stride;
        const taken = vectors.subarray(0, most);
        const expected = Array.from({ length: taken.length / stride }, (_, v) =>
          query.reduce((sum, number, i) => sum + number * taken[v * stride + i], 0),
        );
        expect([...products.multiply(query, taken)]).toEqual(expected);
        expect(expected.map((_, v) => product(query, taken, v * stride))).toEqual(expected);
      }),
    );
  });

  it('products of a query with vectors take whole blocks, and the longest vectors, without overflow', () => {
    for (const stride of [16, 256, 4096, 16_384, 32_768]) {
      const count = int8Products.blockOf(stride);
      const { numbers, scale } = toWholeQuery(new Float32Array(stride).fill(1 / Math.sqrt(stride)));
      const vectors = new Int8Array(count * stride).fill(127);
      const products = int8Products.multiply(numbers, vectors);
      expect(products.length).toBe(count);
      const expected = 127 * Math.sqrt(stride) * scale;
      for (const found of products) expect(found / expected).toBeCloseTo(1, 3);
    }
  });

  it('products of a query with vectors are computed by SIMD where this machine has it', () => {
    // Every processor that Node 20 supports has SIMD; without it searches would be slow, not wrong.
    expect(int8Products.hasSimd).toBe(true);
  });
});

it('cosines by whole numbers differ from the exact ones in the fifth digit', () => {
  const unit = (vector: Float32Array) => vector.map((number) => number / Math.hypot(...vector));
  const anyVector = fc.float32Array({ minLength: 64, maxLength: 64, min: -1, max: 1, noNaN: true });
  fc.assert(
    fc.property(anyVector, anyVector, (a, b) => {
      fc.pre(Math.hypot(...a) > 0.01);
      const [query, vector] = [unit(a), toInt8(b)];
      const length = Math.hypot(...vector) || 1;
      const exact = vector.reduce((sum, number, i) => sum + (number / length) * query[i], 0);
      expect(Math.abs(cosine(toWholeQuery(query), vector) - exact)).toBeLessThan(0.0001);
    }),
  );
});
