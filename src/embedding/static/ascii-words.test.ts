import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AsciiWords } from './ascii-words.ts';
import { bertWords } from './word-pieces.ts';

/** Gives each word its own number, and a long word two. */
function numbersOfWords() {
  const numbers = new Map<string, number>();
  const asked: string[] = [];
  const split = (word: string) => {
    asked.push(word);
    const number = numbers.get(word) ?? numbers.size;
    numbers.set(word, number);
    return word.length > 5 ? [number, -1] : [number];
  };
  return { split, asked };
}

function added(words: AsciiWords, text: string): number[] {
  const pieces: number[] = [];
  expect(words.add(text, pieces)).toBe(true);
  return pieces;
}

describe('pieces of the words of ASCII text', () => {
  it('pieces of ASCII text are those of its words, one after the other, met before or not', () => {
    const { split } = numbersOfWords();
    const words = new AsciiWords(split);
    const ascii = fc.string({
      unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
    });
    fc.assert(
      fc.property(ascii, (text) => {
        const expected = bertWords(text).flatMap((word) => split(word));
        expect(added(words, text)).toEqual(expected);
        expect(added(words, text)).toEqual(expected);
      }),
    );
  });

  it('a word is split once, in small letters, however it is written', () => {
    const { split, asked } = numbersOfWords();
    const words = new AsciiWords(split);
    asked.length = 0;
    const pieces = added(words, 'Pottery pottery\tPOTTERY\n');
    expect(asked).toEqual(['pottery']);
    expect(pieces).toEqual([...pieces.slice(0, 2), ...pieces.slice(0, 2), ...pieces.slice(0, 2)]);
  });

  it('nothing is added of a text that is not plain ASCII', () => {
    const words = new AsciiWords(numbersOfWords().split);
    for (const text of ['one caf\u00e9', 'one two\u0000', 'one \u201ctwo\u201d', 'one\u007f']) {
      const pieces = [7];
      expect(words.add(text, pieces)).toBe(false);
      expect(pieces).toEqual([7]);
    }
  });

  it('more words than there is room for have the pieces that they had', () => {
    const words = new AsciiWords((word) => [Number(word.replace(/\D/g, '')), word.length]);
    const text = Array.from({ length: 40_000 }, (_, i) => `word${i}`).join(' ');
    const expected = Array.from({ length: 40_000 }, (_, i) => [i, `word${i}`.length]).flat();
    expect(added(words, text)).toEqual(expected);
    expect(added(words, text)).toEqual(expected);
  });

  it('long words have their pieces, too', () => {
    const words = new AsciiWords((word) => [word.length]);
    expect(added(words, `${'a'.repeat(24)} ${'b'.repeat(25)} ${'C'.repeat(500)}`)).toEqual([24, 25, 500]);
  });
});
