import { describe, expect, it } from 'vitest';
import { idIn, readQuery, toSearch, writeQuery } from './query-language.ts';

describe('the language of the query bar', () => {
  it('reads filters with and without quotes, and leaves other words as they are', () => {
    const { text, filters } = readQuery(
      'topic:"night train" after:2026-01-01 lease is:superseded note: https://a.test/b',
    );
    expect(filters).toEqual({ topic: 'night train', after: '2026-01-01', is: 'superseded' });
    expect(text).toBe('lease note: https://a.test/b');
  });

  it.each(['lease', 'topic:work lease', 'topic:"night train" before:2026 a "b c" d'])(
    'writes %s as it was read',
    (typed) => {
      expect(readQuery(writeQuery(readQuery(typed)))).toEqual(readQuery(typed));
    },
  );

  it('tells an id, or its beginning, from a word and from a number', () => {
    const id = 'fa166f46-5f7e-4ce3-a5ed-771d18179102';
    expect([id, 'fa166f46', 'facade', '123456', 'a1'].map(idIn)).toEqual([
      id,
      'fa166f46',
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('searches all states where another than current is asked for', () => {
    expect(toSearch(readQuery('is:superseded tea'))).toMatchObject({
      q: 'tea',
      effectiveState: 'superseded',
      temporalMode: 'historical',
    });
    expect(toSearch(readQuery('topic:tea'))).toMatchObject({
      q: undefined,
      topics: 'tea',
      temporalMode: undefined,
    });
  });
});
