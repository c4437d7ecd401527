import { expect, it } from 'vitest';
import { sentenceAround } from './sentence-around.ts';

const long = `${'before '.repeat(60)}Ana lives in Porto ${'after '.repeat(60)}`;

it('the words that state a fact are marked among some of those around them', () => {
  const start = long.indexOf('Ana');
  const { text, hits } = sentenceAround(long, { start, end: start + 18 });
  expect(hits.map((hit) => text.slice(hit.start, hit.end))).toEqual(['Ana lives in Porto']);
  expect(text).toMatch(/^… before .* after …$/);
  expect(text.length).toBeLessThan(360);
});

it('a short text is shown as it is, one without a place from its beginning', () => {
  expect(sentenceAround('Ana lives in Porto', { start: 0, end: 18 })).toEqual({
    text: 'Ana lives in Porto',
    hits: [{ start: 0, end: 18 }],
  });
  expect(sentenceAround(long, {}).text).toMatch(/^before .* …$/);
  expect(sentenceAround('x'.repeat(2000), { start: 1000, end: 1010 }).hits).toHaveLength(1);
});
