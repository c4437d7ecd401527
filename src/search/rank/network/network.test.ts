import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Network, normalShare, scoreOf, scoresOf, standardise } from './network.ts';

interface StudiedModel {
  readonly mu: number[];
  readonly sd: number[];
  readonly lin: number[];
  readonly w1: number[][];
  readonly b1: number[];
  readonly w2: number[];
  readonly b2: number[];
}
interface Studied {
  readonly models: readonly StudiedModel[];
  readonly check: readonly { readonly x: number[]; readonly score: number }[];
}

/** Three networks that were trained in Python before this one was written, with scores of five candidates of the talks. */
const studied = JSON.parse(
  readFileSync(new URL('../../../../test/fixtures/rerank-check.json', import.meta.url), 'utf8'),
) as Studied;

function toNetwork({ mu, sd, lin, w1, b1, w2, b2 }: StudiedModel): Network {
  return { mean: mu, deviation: sd, linear: lin, hidden: w1, hiddenBias: b1, output: w2, outputBias: b2[0] };
}

function run(network: Network, features: readonly number[], factors?: readonly number[]) {
  const z = new Float64Array(features.length);
  const given = new Float64Array(features.length);
  standardise(network, features, factors, { out: z, at: 0 });
  return { ...scoreOf(network, z, 0, given), given, z };
}

const number = fc.double({ min: -3, max: 3, noNaN: true });
const small = fc.tuple(
  fc.record({
    mean: fc.array(number, { minLength: 4, maxLength: 4 }),
    linear: fc.array(number, { minLength: 4, maxLength: 4 }),
    hidden: fc.array(fc.array(number, { minLength: 4, maxLength: 4 }), { minLength: 3, maxLength: 3 }),
    hiddenBias: fc.array(number, { minLength: 3, maxLength: 3 }),
    output: fc.array(number, { minLength: 3, maxLength: 3 }),
    outputBias: number,
  }),
  fc.array(number, { minLength: 4, maxLength: 4 }),
);
const deviation = [0.5, 1, 2, 0.03];

describe('the network of the reranker', () => {
  it('the network gives candidates of the study the scores of the study, to four digits', () => {
    for (const { x, score } of studied.check) {
      const sum = studied.models.reduce((total, model) => total + run(toNetwork(model), x).score, 0);
      expect(sum).toBeCloseTo(score, 4);
    }
  });

  it('what the network gives to each feature and the rest add up to the score', () => {
    fc.assert(
      fc.property(small, ([weights, features]) => {
        const { score, rest, given } = run({ ...weights, deviation }, features);
        const sum = given.reduce((total, value) => total + value, rest);
        expect(sum).toBeCloseTo(score, 8);
      }),
    );
  });

  it('scores alone are those that are explained', () => {
    fc.assert(
      fc.property(small, ([weights, features]) => {
        const network = { ...weights, deviation };
        const { z, score } = run(network, features);
        const twice = Float64Array.of(...z, ...z);
        for (const alone of scoresOf(network, twice)) expect(alone).toBeCloseTo(score, 8);
      }),
    );
  });

  it('a feature at its mean is given nothing, and so is one whose factor is 0', () => {
    fc.assert(
      fc.property(small, ([weights, features]) => {
        const network = { ...weights, deviation };
        const atMean = run(network, [weights.mean[0], ...features.slice(1)]);
        const off = run(network, features, [0, 1, 1, 1]);
        expect(atMean.given[0]).toBeCloseTo(0, 10);
        expect(off.given[0]).toBeCloseTo(0, 10);
        expect(off.score).toBeCloseTo(atMean.score, 10);
      }),
    );
  });

  it('the share of the normal distribution below a number is that of its tables', () => {
    for (const [x, share] of [
      [0, 0.5],
      [1, 0.8413447],
      [-1, 0.1586553],
      [1.96, 0.9750021],
      [-3, 0.0013499],
    ])
      expect(normalShare(x)).toBeCloseTo(share, 6);
  });
});
