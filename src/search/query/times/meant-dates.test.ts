import { describe, expect, it } from 'vitest';
import { analyzeQuery } from '../../../search-index/analysis/index.ts';
import { notMeantAsDates } from './meant-dates.ts';

const notMeant = (query: string) => [...notMeantAsDates(query, analyzeQuery(query))];

describe('words that look like a date', () => {
  it.each([
    ['who may enter', ['mai']],
    ['what may cause the crash?', ['mai']],
    ['the march through the city', ['march']],
    ['error 14 of the printer', ['14']],
    ['top 10 restaurants in Vienna', ['10']],
    ['may I come on 3 June', ['mai']],
  ])('words that look like a date are no part of one in "%s"', (query, terms) =>
    expect(notMeant(query)).toEqual(terms),
  );

  it.each([
    'what did we do in May',
    'the trip last march',
    'the release of May 2023',
    'meeting on 14 May',
    'the 14th of May, at noon',
    'May 14, 2023: the meeting',
    'meeting on the 14th',
    'flight 2023-05-14',
    'May',
    '14 May 2023',
    'visits in June 2024 on Monday',
  ])('words that look like a date are parts of one in "%s"', (query) => expect(notMeant(query)).toEqual([]));
});
