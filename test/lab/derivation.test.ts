import { describe, expect, it } from 'vitest';
import { measureCreateRates, measureLag } from '../../lab/derivation/measure.ts';
import { benchTexts, textOf } from '../../lab/derivation/texts.ts';

const texts = benchTexts('/no/chat');

describe('the bench of derivation through the service', () => {
  it('the bench of derivation has texts of its own where there is no chat, none twice', () => {
    expect(texts.length).toBeGreaterThan(400);
    const many = Array.from({ length: 2 * texts.length }, (_, i) => textOf(texts, i));
    expect(new Set(many).size).toBe(many.length);
  });

  it('the bench of derivation measures creates and lag of a real service', async () => {
    const rates = await measureCreateRates('sqlite', texts, { rounds: 1, perRound: 32 });
    for (const figure of Object.values(rates)) expect(figure).toBeGreaterThan(0);
    expect(rates.processorMsWith).toBeGreaterThan(rates.processorMsWithout);
    const lag = await measureLag('sqlite', texts, { perSecond: 20, seconds: 1 });
    expect(lag.rate).toBeGreaterThan(0);
    expect(lag.p95).toBeGreaterThanOrEqual(lag.p50);
  }, 300_000);
});
