import { describe, expect, it } from 'vitest';
import { fitNetwork, scoresOf } from '../../lab/ranker/fit-network.ts';
import { type LabelledQuestion, measuresOf } from '../../lab/ranker/labelled.ts';
import { featureCount, placeOf } from '../../src/search/rank/network/feature-names.ts';
import { randomFrom } from '../support/random.ts';

const candidates = 20;

/** Of twenty candidates one is evidence: it has more of the query's words, and everything else is chance. */
function questionsOf(seed: number, count: number): LabelledQuestion[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, (_, q) => {
    const evidence = random.int(0, candidates - 1);
    const values = Float32Array.from({ length: candidates * featureCount }, () => random.float());
    for (let i = 0; i < candidates; i++)
      values[i * featureCount + placeOf.coverage] = random.float() * 0.7 + (i === evidence ? 0.6 : 0);
    return {
      user: `user-${q}`,
      values,
      sums: new Float64Array(candidates),
      isEvidence: Uint8Array.from({ length: candidates }, (_, i) => (i === evidence ? 1 : 0)),
      evidenceCount: 1,
    };
  });
}

const training = [{ weight: 1, questions: questionsOf(1, 60) }];

describe('the training of the reranker', () => {
  it('the training gives the same weights twice', () => {
    const options = { seed: 1, steps: 20 };
    const once = JSON.stringify(fitNetwork(training, options));
    expect(JSON.stringify(fitNetwork(training, options))).toBe(once);
    expect(JSON.stringify(fitNetwork(training, { ...options, seed: 2 }))).not.toBe(once);
  });

  it('the training finds which feature tells evidence, on questions that it has not seen', () => {
    const network = fitNetwork(training, { seed: 1, steps: 60 });
    const asked = questionsOf(2, 40);
    const found = asked.map((question) => measuresOf(question, scoresOf(network, question)).mrr);
    expect(found.reduce((sum, mrr) => sum + mrr, 0) / found.length).toBeGreaterThan(0.6);
    expect(Math.max(...network.linear)).toBe(network.linear[placeOf.coverage]);
  });

  it('the training does not let a feature that hardly varies decide', () => {
    const { deviation } = fitNetwork(training, { seed: 1, steps: 1 });
    expect(Math.min(...deviation)).toBeGreaterThanOrEqual(0.03);
    expect(deviation[placeOf.time]).toBe(0.3);
  });
});
