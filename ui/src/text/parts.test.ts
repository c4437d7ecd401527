import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partsOf } from './parts.ts';

describe('pieces of a text from a memory', () => {
  it('names what is not seen, and keeps line feeds', () => {
    const parts = partsOf('a\u202eb\u200b\nc\u{e0041}');
    expect(parts.map(({ kind, text }) => `${kind} ${JSON.stringify(text)}`)).toEqual([
      'text "a"',
      'mark "U+202E"',
      'text "b"',
      'mark "U+200B"',
      'text "\\nc"',
      'mark "U+E0041"',
    ]);
  });

  it('makes links of http and https only, without the full stop behind them', () => {
    const parts = partsOf('See https://a.test/x?y=1. javascript:alert(1) data:text/html,x http://[');
    expect(parts.filter(({ kind }) => kind === 'link')).toEqual([
      { kind: 'link', text: 'https://a.test/x?y=1', host: 'a.test' },
    ]);
  });

  it('emphasises the words found, also beside a link', () => {
    const text = 'Deploys on Friday: https://a.test/deploy';
    const parts = partsOf(text, [{ start: 0, end: 7 }]);
    expect(parts.map(({ kind }) => kind)).toEqual(['hit', 'text', 'link']);
  });

  it('has all of a text, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const seen = partsOf(text).filter(({ kind }) => kind !== 'mark');
        const rest = seen.map((part) => part.text).join('');
        return [...rest].every((character) => text.includes(character)) && rest.length <= text.length;
      }),
    );
  });
});
