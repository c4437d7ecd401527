import { describe, expect, it } from 'vitest';
import { ANALYZER_VERSION, analyze, analyzeQuery, analyzeWithOffsets, dateWords } from './index.ts';

it('the analyser has a version for indexes to remember', () => {
  expect(Number.isInteger(ANALYZER_VERSION)).toBe(true);
});

describe('English words', () => {
  it('forms of an English word meet in their stem, with repetitions and in order', () => {
    expect(analyze('She painted; paintings of a painter who paints')).toEqual([
      'paint',
      'paint',
      'painter',
      'paint',
    ]);
    expect(analyzeQuery('Painting, painted?')).toEqual(['paint']);
  });

  it('English words that are in every text are no terms, contractions included', () => {
    expect(analyze("Don't you think it's Melanie’s?")).toEqual(['think', 'melani']);
    expect(analyze('to be or not to be')).toEqual([]);
    expect(analyzeQuery('')).toEqual([]);
  });

  it('English words of 64 letters or more are one term with their longer forms', () => {
    const [term] = analyze('q'.repeat(50_000));
    expect(term).toBe('q'.repeat(64));
    expect(analyzeQuery('q'.repeat(70))).toEqual([term]);
  });
});

describe('identifiers', () => {
  it.each([
    ['getUserName', ['get', 'user', 'name', 'getusernam']],
    ['HTTPServer', ['http', 'server', 'httpserver']],
    ['PDFs', ['pdf']],
    ['LGBTQ', ['lgbtq']],
    ['foo_bar', ['foo', 'bar', 'foobar']],
    ['kebab-case', ['kebab', 'case', 'kebabcas']],
    ['__init__', ['init']],
    ['src/http/app.ts', ['src', 'http', 'app', 'ts', 'appt', 'srchttpappt']],
    ['C:\\tmp\\x.txt', ['c', 'tmp', 'x', 'txt', 'xtxt', 'tmpxtxt']],
    ['v1.2.3', ['v1', '2', '3', 'v1ꞏ2ꞏ3', '1ꞏ2ꞏ3']],
    ['Node.js', ['node', 'js', 'nodej']],
    ['C++/C#', ['cplusplu', 'csharp', 'cpluspluscsharp']],
    ['#123', ['123']],
    ['@name', ['name']],
    ['jane.doe@example.com', ['jane', 'doe', 'janedo', 'exampl', 'com', 'examplecom', 'janedoeexamplecom']],
    [
      'https://example.com/a-b?x=1',
      ['http', 'exampl', 'com', 'examplecom', 'b', 'ab', 'examplecomab', 'x', '1'],
    ],
    ['7pm', ['7', 'pm', '7pm']],
    ['8th', ['8']],
    ['12:30', ['12', '30', '12ꞏ30']],
    ['topic: billing', ['topic', 'bill']],
    ['3fa85f64', ['3fa85f64']],
  ])('identifiers are split into terms: %s', (text, terms) => {
    expect(analyze(text)).toEqual(terms);
    expect(analyze(`(${text}), "${text}".`)).toEqual([...terms, ...terms]);
  });

  it('identifiers are found by each way to write them', () => {
    const ways = ['getUserName', 'get_user_name', 'get-user-name', 'getusername', 'GetUserName'];
    const shared = ways.map((way) => analyze(way).includes('getusernam'));
    expect(shared).toEqual(ways.map(() => true));
  });

  it('identifiers that differ in their points have different terms', () => {
    expect(analyze('1.2.3')).not.toContain('123');
    expect(analyze('C++')).not.toContain('c');
    expect(analyze('12.3')).not.toContain(analyze('1.23').at(-1));
  });
});

describe('dateWords', () => {
  it('words of a date names the day in UTC, and each of its parts is a term', () => {
    const words = dateWords(Date.parse('2023-05-08T23:59:59.999Z'));
    expect(words).toBe('Monday 8 May 2023');
    for (const query of ['2023', 'may', '8 May', 'May 8th', 'monday']) {
      expect(analyze(words)).toEqual(expect.arrayContaining(analyzeQuery(query)));
      expect(analyzeQuery(query)).not.toEqual([]);
    }
  });

  it('words of a date exist for years far off, and no year is refused', () => {
    expect(dateWords(Date.UTC(1969, 11, 31))).toBe('Wednesday 31 December 1969');
    expect(dateWords(8.64e15)).toBe('Saturday 13 September 275760');
    expect(dateWords(Number.NaN)).toBe('');
  });
});

describe('analyzeWithOffsets', () => {
  const words = (text: string) =>
    analyzeWithOffsets(text).map(({ term, start, end }) => `${term}=${text.slice(start, end)}`);

  it('terms with offsets show words as they are written', () => {
    expect(words('The Paintings of getUserName')).toEqual([
      'paint=Paintings',
      'get=get',
      'user=User',
      'name=Name',
      'getusernam=getUserName',
    ]);
  });

  it('terms with offsets show where folded words came from', () => {
    expect(words('Zoe\u0308’s ﬁle: 東京 ｶﾞ 🎉 ½')).toEqual([
      'zoe=Zoe\u0308',
      'file=ﬁle',
      '東=東',
      '京=京',
      '東京=東京',
      'ガ=ｶﾞ',
      '🎉=🎉',
      '1=½',
      '2=½',
    ]);
  });
});
