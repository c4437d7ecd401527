import { expect, it } from 'vitest';
import { passagesOf } from '../../domain/passages/passages.ts';
import { textParts } from './document-encoder.ts';

const text = `# Words\n\n${Array.from({ length: 800 }, (_, i) => `w${i}`).join(' ')}`;

it('a long text has a vector of its own and one for each passage, in their order, under their headings', () => {
  const [whole, ...parts] = textParts(text, 2000);
  expect(whole).toBe(text);
  const passages = passagesOf(text);
  expect(parts).toHaveLength(passages.length);
  for (const [i, { start, end }] of passages.entries()) {
    expect(parts[i]).toMatch(/^#? ?Words\n/);
    expect(parts[i].endsWith(text.slice(start, end))).toBe(true);
  }
});

it('a passage goes without its headings where the model would not read its end', () => {
  expect(
    Math.max(
      ...textParts(text, 1000)
        .slice(1)
        .map(({ length }) => length),
    ),
  ).toBeLessThanOrEqual(1000);
});

it('a short text has one vector', () => {
  expect(textParts('w '.repeat(500), 1024)).toHaveLength(1);
});
