import { describe, expect, it } from 'vitest';
import { excerptOf } from './excerpt.ts';

const marked = ({ text, hits }: ReturnType<typeof excerptOf>) =>
  hits.map(({ start, end }) => text.slice(start, end));

describe('what a row shows of a result', () => {
  it('a short text is shown whole, with the words that were found', () => {
    const excerpt = excerptOf({ content: 'Green tea', preview: '', highlights: [{ start: 6, end: 9 }] });
    expect([excerpt.text, marked(excerpt)]).toEqual(['Green tea', ['tea']]);
  });

  it('the words found of a long text are where its preview has them, and others are left out', () => {
    const content = `tea at first, ${'x '.repeat(50)} then green tea at last`;
    const at = content.indexOf('then');
    const tea = content.lastIndexOf('tea');
    const highlights = [
      { start: 0, end: 3 },
      { start: tea, end: tea + 3 },
    ];
    const excerpt = excerptOf({ content, preview: `…${content.slice(at)}`, highlights });
    expect(marked(excerpt)).toEqual(['tea']);
  });
});
