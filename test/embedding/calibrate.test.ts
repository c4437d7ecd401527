import { describe, expect, it } from 'vitest';
import type { Embedder } from '../../src/domain/embedding/embedder.ts';
import { calibrate, relatedCosineOf } from '../../src/embedding/calibrate.ts';
import { loadBundled } from '../../src/embedding/load-models.ts';
import { unrelatedSentences } from '../../src/embedding/unrelated-sentences.ts';

describe('calibration', () => {
  it('calibration has about 200 sentences, all different', () => {
    expect(unrelatedSentences.length).toBeGreaterThanOrEqual(195);
    expect(new Set(unrelatedSentences).size).toBe(unrelatedSentences.length);
  });

  it('calibration takes the 97th percentile of pairs, leaving out that of a sentence with itself', () => {
    const at = (degrees: number) =>
      Float32Array.from([Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)]);
    // The cosines are 0, 0.5 and -0.87, each twice; a sentence and itself, 1, do not count.
    const spread = [at(0), at(60), at(150)];
    expect(relatedCosineOf(spread, spread)).toBeCloseTo(0.5, 5);
    const same = [at(0), at(0), at(0)];
    expect(relatedCosineOf(same, same)).toBe(0.99);
    const opposite = [at(0), at(180)];
    expect(relatedCosineOf(opposite, opposite)).toBe(0.01);
  });

  it('calibration finds for the bundled model what was measured for it on other texts', async () => {
    const measured = await calibrate(loadBundled().bundled);
    expect(measured).toBeGreaterThan(0.2);
    expect(measured).toBeLessThan(0.4);
  });

  it('calibration compares queries with documents, as searches do', async () => {
    const { bundled } = loadBundled();
    const kinds = new Set<string>();
    const embedder: Embedder = {
      ...bundled,
      space: bundled.space,
      embed: async (texts, kind) => {
        kinds.add(kind);
        return texts.map((text) => bundled.embedNow(text));
      },
    };
    await calibrate(embedder);
    expect([...kinds].sort()).toEqual(['document', 'query']);
  });
});
