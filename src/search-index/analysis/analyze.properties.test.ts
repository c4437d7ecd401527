import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyze, analyzeQuery, analyzeWithOffsets } from './index.ts';

/** Neither ASCII punctuation, capitals, white space, control characters nor half a surrogate pair. */
const termShape = /^(?:[a-z0-9]|[^\0-\x9f\s\p{Z}\p{C}\p{P}\p{Lu}])+$/u;

/** Text of the kinds that meet: words, scripts, marks, joiners, broken surrogates, white space. */
const unit = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 4 }),
  fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
  fc.constantFrom(
    'C++',
    '#',
    '_',
    '/',
    '.',
    '-',
    ':',
    '@',
    ' ',
    '\n',
    '\u3000',
    '\u0301',
    '\u0e49',
    '\u3099',
    'ｶﾞ',
  ),
  fc.constantFrom(
    'Get',
    'User',
    'running',
    'ÉCOLE',
    'Redis',
    'ключ',
    'κόσμος',
    'كِتَاب',
    'שָׁלוֹם',
    'पढ़ना',
    'น้ำ',
    '缓存',
    '학교',
  ),
  fc.constantFrom(
    '\ud83d',
    '\udc4d',
    '👍🏽',
    '12',
    '3',
    '\u1112\u1161\u11ab',
    'İ',
    'Σ',
    'ﷺ',
    '½',
    '𠮷',
    '\ufeff',
  ),
);
const text = fc.array(unit, { maxLength: 30 }).map((units) => units.join(''));
const runs = { numRuns: 1000 };

describe('for any text', () => {
  it('terms are clean and at most 64 units long', () => {
    fc.assert(
      fc.property(text, (any) => {
        for (const term of analyze(any)) {
          expect(term).toMatch(termShape);
          expect(term.length).toBeLessThanOrEqual(64);
        }
      }),
      runs,
    );
  });

  it('a document is found by each of its words and by all of it', () => {
    fc.assert(
      fc.property(text, (any) => {
        const contained = new Set(analyze(any));
        for (const word of [any, ...any.split(/\s+/)]) {
          expect(analyzeQuery(word).filter((term) => !contained.has(term))).toEqual([]);
        }
      }),
      runs,
    );
  });

  it('a query asks for each term once', () => {
    fc.assert(
      fc.property(text, (any) => {
        const terms = analyzeQuery(any);
        expect(new Set(terms).size).toBe(terms.length);
      }),
      runs,
    );
  });

  it('terms with offsets are the terms, and lie within the text', () => {
    fc.assert(
      fc.property(text, (any) => {
        const placed = analyzeWithOffsets(any);
        expect(placed.map(({ term }) => term)).toEqual(analyze(any));
        for (const { start, end } of placed) {
          expect(start).toBeLessThan(end);
          expect(any.slice(start, end)).toHaveLength(end - start);
        }
      }),
      runs,
    );
  });

  it('with offsets may end at a term that is enough, and finds it where the whole text has it first', () => {
    fc.assert(
      fc.property(text, fc.nat(), (any, at) => {
        const placed = analyzeWithOffsets(any);
        if (placed.length === 0) return;
        const { term } = placed[at % placed.length];
        const first = placed.findIndex((each) => each.term === term);
        expect(analyzeWithOffsets(any, new Set([term])).slice(0, first + 1)).toEqual(
          placed.slice(0, first + 1),
        );
      }),
      runs,
    );
  });

  it('case and Unicode form make no difference to plain words of any text', () => {
    const word = fc.stringMatching(/^[a-zà-öø-þα-ωа-я]{1,20}$/u);
    fc.assert(
      fc.property(word, (any) => {
        expect(analyze(any.normalize('NFD'))).toEqual(analyze(any));
        expect(analyze(any.toUpperCase())).toEqual(analyze(any));
      }),
      runs,
    );
  });
});

describe('for the longest texts', () => {
  const longest = {
    'marks out of order': `a${'\u0301\u0323'.repeat(25_000)}`,
    'one identifier': 'aB'.repeat(25_000),
    'one dotted name': 'b.'.repeat(25_000),
    'one path': 'b/'.repeat(25_000),
    'one run of Han': '漢'.repeat(50_000),
    'half pairs': '\ud800'.repeat(50_000),
    'vowels that are consonants': 'y'.repeat(50_000),
    'characters of eighteen letters': 'ﷺ'.repeat(50_000),
  };
  it.each(Object.entries(longest))('the longest texts are analysed in time: %s', (_name, any) => {
    expect(analyzeWithOffsets(any).map(({ term }) => term)).toEqual(analyze(any));
  });
});
