import { expect, it } from 'vitest';
import { textParts } from './document-encoder.ts';

const text = Array.from({ length: 800 }, (_, i) => `w${i}`).join(' ');

it('the parts of a text are no longer than the model reads, and hold all of its words', () => {
  const [whole, ...parts] = textParts(text, 1024);
  expect(whole).toBe(text);
  expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(1024);
  const words = new Set(parts.flatMap((part) => part.split(' ')));
  expect(text.split(' ').filter((word) => !words.has(word))).toEqual([]);
});

it('a text has no parts where the model reads it as one', () => {
  expect(textParts('w '.repeat(500), 1024)).toHaveLength(1);
  expect(textParts('w '.repeat(520), 1024).length).toBeGreaterThan(1);
  expect(textParts('w '.repeat(1200), 50_000)).toHaveLength(1);
});
