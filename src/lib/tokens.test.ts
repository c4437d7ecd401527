import { describe, expect, it } from 'vitest';
import { estimateTokens } from './tokens.ts';

/** Texts and what o200k counts of them (js-tiktoken 1.0.21). */
const counted: readonly [text: string, tokens: number][] = [
  ['We deploy on Thursdays, because the on-call team is complete then.', 14],
  ['{"id":"3f2a9c1e-7b1d-4e0a-9a55-0c1d2e3f4a5b","content":"Deploys run from main."}', 48],
  ['Wir haben entschieden, dass die Auslieferung künftig über den Hauptzweig läuft.', 17],
  ['我们决定在星期五晚上把数据库迁移到新的服务器。', 14],
  ['🎉🚀✅ done', 6],
  ['getUserProfileById(HTTP_STATUS_404)', 11],
];

describe('the estimate of tokens', () => {
  it.each(counted)(
    'the estimate of tokens lies above what a tokeniser counts, by no more than two and a half times: %s',
    (text, tokens) => {
      const estimate = estimateTokens(text);
      expect(estimate).toBeGreaterThanOrEqual(tokens);
      expect(estimate).toBeLessThanOrEqual(tokens * 2.5);
    },
  );

  it('the estimate of tokens is nothing for an empty text', () => {
    expect(estimateTokens('')).toBe(0);
  });
});
