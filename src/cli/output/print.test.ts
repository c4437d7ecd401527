import { describe, expect, it } from 'vitest';
import { tableLines } from './print.ts';
import { cutToWidth, textWidth, wrapText } from './text.ts';

describe('a table', () => {
  it('a table has headings, aligned columns, a dash for what is not there, and each item on one line', () => {
    const lines = tableLines(
      [
        { heading: 'NAME', valueIn: ({ name }: { name: string; count?: number }) => name },
        { heading: 'COUNT', valueIn: ({ count }) => count, align: 'right' },
      ],
      [{ name: '東京', count: 7 }, { name: 'two\nlines', count: 1000 }, { name: '' }],
    );
    expect(lines).toEqual(['NAME       COUNT', '東京           7', 'two lines   1000', '-              -']);
  });
});

describe('the width of a text', () => {
  it('the width of a text counts the columns of a terminal', () => {
    expect(['abc', '日本', 'é', '👩‍👩‍👧', '☀️', ''].map(textWidth)).toEqual([3, 4, 1, 2, 2, 0]);
  });

  it('the width of a text that is cut is never more than asked for', () => {
    for (const text of ['plain words that are long', '日本語のメモです', '👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧'])
      for (let width = 1; width < 12; width++)
        expect(textWidth(cutToWidth(text, width))).toBeLessThanOrEqual(width);
    expect(cutToWidth('short', 5)).toBe('short');
    expect(cutToWidth('longer', 5)).toBe('long…');
  });

  it('lines that are broken between words are bounded in width', () => {
    expect(wrapText('one two three-long four', 8)).toEqual(['one two', 'three-long', 'four']);
  });
});
