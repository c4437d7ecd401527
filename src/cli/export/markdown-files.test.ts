import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { conversationFileName, memoryFileName, safeWords } from './file-names.ts';
import { toFrontMatter } from './markdown-files.ts';

const hostile = [
  '---',
  'a\n---\ntype: Forged\n---\nb',
  '...\n---',
  "it's: {a} [b] #c & *d !e %f @g `h` | > ? - , \"i\" \\ 'j'",
  '\u2028---\u2029\u0085\ufeff\u202e\u200b\u007f\u0001',
  ' leading and trailing ',
  '',
  'true',
  'No',
  '1.0',
  '0x1F',
  '2026-01-01',
  '~',
  '<<',
  '*alias',
  '&anchor x',
  '!!js/function x',
  '😀 東京 café',
  '\r\n\t',
];

describe('front matter', () => {
  it.each(hostile)('a text %j comes back as it is, as a value, in a list and as a name', (text) => {
    const fields = { text, list: [text], object: { [text]: text }, number: 1.5, isTrue: true, last: 'end' };
    const written = toFrontMatter(fields);
    const [first, ...lines] = written.split(/[\n\r\u0085\u2028\u2029]/);
    expect([first, lines.indexOf('---'), lines.at(-1)]).toEqual(['---', 6, '']);
    for (const version of ['1.1', '1.2'] as const)
      expect(parse(written.slice(4, -4), { version, merge: false })).toEqual(fields);
  });

  it('fields without a value are left out', () => {
    expect(toFrontMatter({ a: undefined, b: null, c: 0 })).toBe('---\nc: 0\n---\n');
  });
});

describe('file names', () => {
  it.each([
    ['# The tiles: come on "Monday"?', 'The tiles come on Monday'],
    ['../../etc/passwd', 'etc passwd'],
    ['.hidden', 'hidden'],
    ['\n\n***\nsecond line', 'second line'],
    ['CON', 'CON'],
    ['[[a|b#c^d]]', 'a b c d'],
    ['\u202egnp.exe\u0000', 'gnp.exe'],
    ['Cafe\u0301', 'Caf\u00e9'],
    ['!?', ''],
    ['', ''],
  ])('the words of %j are %j', (text, words) => {
    expect(safeWords(text)).toBe(words);
  });

  it('a name has at most 255 bytes, and no half of a character', () => {
    for (const text of ['x'.repeat(50_000), '👩‍👩‍👧‍👦'.repeat(100), '東'.repeat(300)]) {
      const name = memoryFileName({ seq: 123_456_789, content: text });
      expect(Buffer.byteLength(`${name}.md`)).toBeLessThan(255);
      expect(name.isWellFormed()).toBe(true);
    }
  });

  it('conversations of one title have files of their own', () => {
    const [one, other] = [
      conversationFileName('conv_1', 'New chat'),
      conversationFileName('conv_2', 'New chat'),
    ];
    expect(one).not.toBe(other);
    expect(one).toMatch(/^New chat [0-9a-f]{12}$/);
    expect(conversationFileName('conv_1', '..')).toMatch(/^Conversation [0-9a-f]{12}$/);
  });
});
