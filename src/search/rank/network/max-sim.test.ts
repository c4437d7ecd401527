import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadBundled } from '../../../embedding/load-models.ts';
import { PieceComparer } from './word-pieces.ts';

const table = loadBundled().pieces();
const comparer = new PieceComparer(table);
const piecesOf = (text: string) => Uint16Array.from(new Set(table.piecesOf(text))).sort();

/** As it is defined, in plain numbers. */
function cosine(a: number, b: number): number {
  const { dimension, vectors } = table;
  let [product, ofA, ofB] = [0, 0, 0];
  for (let i = 0; i < dimension; i++) {
    const [x, y] = [vectors[a * dimension + i], vectors[b * dimension + i]];
    product += x * y;
    ofA += x * x;
    ofB += y * y;
  }
  return product / Math.sqrt((ofA || 1) * (ofB || 1));
}

const piece = fc.integer({ min: 1000, max: table.vocabulary.length - 1 });
const text = fc.uniqueArray(piece, { maxLength: 30 }).map((ids) => Uint16Array.from(ids).sort());

describe('comparing word pieces', () => {
  it('each piece of a query is as near to a text as to the nearest of its pieces', () => {
    fc.assert(
      fc.property(
        fc.array(piece, { minLength: 1, maxLength: 5 }),
        fc.array(text, { minLength: 1, maxLength: 20 }),
        (query, texts) => {
          const { nearest, weights } = comparer.compare(query, texts);
          expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 6);
          const out = new Float64Array(query.length);
          for (const own of texts) {
            nearest(own, out);
            for (const [q, id] of query.entries())
              expect(out[q]).toBeCloseTo(Math.max(0, ...Array.from(own, (other) => cosine(id, other))), 4);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it('more pieces than fit one block are compared like few', () => {
    const many = Uint16Array.from({ length: 1500 }, (_, i) => 2000 + i);
    const query = table.piecesOf('pottery');
    const { nearest, reverse } = comparer.compare(query, [many, piecesOf('a kiln'), piecesOf('pottery')]);
    const out = new Float64Array(query.length);
    nearest(many, out);
    expect(out[0]).toBeCloseTo(Math.max(...Array.from(many, (other) => cosine(query[0], other))), 4);
    expect(reverse(piecesOf('pottery'))).toBeCloseTo(1, 4);
    expect(reverse(new Uint16Array())).toBe(0);
  });

  it('a rarer word of a query weighs more', () => {
    const [the, pottery] = [table.piecesOf('the')[0], table.piecesOf('pottery')[0]];
    const { weights } = comparer.compare([the, pottery], []);
    expect(weights[1]).toBeGreaterThan(weights[0]);
  });
});
