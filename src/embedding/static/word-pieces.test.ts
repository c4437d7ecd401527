import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bertWords } from './word-pieces.ts';

describe('words of ASCII text', () => {
  it('words of ASCII text are the same by the short way and by the long one', () => {
    const ascii = fc.string({
      unit: fc.integer({ min: 0, max: 0x7e }).map((code) => String.fromCharCode(code)),
    });
    fc.assert(
      fc.property(ascii, (text) => {
        // A dropped character turns off the fast path for ASCII.
        expect(bertWords(text)).toEqual(bertWords(`${text}\u200b`));
      }),
    );
  });
});
