import { describe, expect, it } from 'vitest';
import { closeness, timeFit } from './named-periods.ts';
import { readTimes } from './time-phrases.ts';

const now = Date.parse('2026-11-21T12:00:00Z');
const day = (time: number) => new Date(time).toISOString().slice(0, 10);
const read = (query: string) => readTimes(query, now).periods.map(({ from, to }) => [day(from), day(to)]);

describe('time phrases', () => {
  it.each([
    ['what did we do last May?', '2026-05-01', '2026-06-01'],
    ['what happened last November', '2025-11-01', '2025-12-01'],
    ['in March', '2026-03-01', '2026-04-01'],
    ['trips in summer 2023', '2023-06-01', '2023-09-01'],
    ['last winter', '2025-12-01', '2026-03-01'],
    ['in 2022', '2022-01-01', '2023-01-01'],
    ['the May 2023 release', '2023-05-01', '2023-06-01'],
    ['on 3 June', '2026-06-03', '2026-06-04'],
    ['on 3 December', '2025-12-03', '2025-12-04'],
    ['the 7 May 2023 meeting', '2023-05-07', '2023-05-08'],
    ['yesterday', '2026-11-20', '2026-11-21'],
    ['two weeks ago', '2026-11-03', '2026-11-12'],
    ['on Monday', '2026-11-16', '2026-11-17'],
    ['dentist visit last year', '2025-01-01', '2026-01-01'],
    ['dentist visit this year', '2026-01-01', '2027-01-01'],
    ['plans for next year', '2027-01-01', '2028-01-01'],
    ['earlier this month', '2026-11-01', '2026-12-01'],
    ['last month', '2026-10-01', '2026-11-01'],
    ['next month', '2026-12-01', '2027-01-01'],
    ['this quarter', '2026-10-01', '2027-01-01'],
    ['last quarter', '2026-07-01', '2026-10-01'],
    ['this week', '2026-11-16', '2026-11-23'],
    ["last week's visit", '2026-11-09', '2026-11-16'],
    ['next week', '2026-11-23', '2026-11-30'],
    ['in the past year', '2025-11-21', '2026-11-22'],
    ['in the last week', '2026-11-14', '2026-11-22'],
    ['in the last 3 weeks', '2026-10-31', '2026-11-22'],
    ['last weekend', '2026-11-14', '2026-11-16'],
    ['this weekend', '2026-11-21', '2026-11-23'],
    ['the week before 3 August 2025', '2025-07-27', '2025-08-04'],
    ['the Sunday before 25 October 2025', '2025-10-25', '2025-10-26'],
    ['the last weekend before 10 April 2025', '2025-04-10', '2025-04-11'],
  ])('time phrases of "%s" are read', (query, from, to) => {
    expect(read(query)).toEqual([[from, to]]);
  });

  it.each([
    'may I ask who sat there',
    'use the -v flag',
    'error 404 on line 12',
    'the sun and the moon',
    'a march through the city in the rain',
    'version 1.2.3',
    'what does Ana like',
    'standup at 10am',
    'in 90000 years',
    'where do I live now',
    'what does she do in a week after work',
    'a language learned in two days',
    'the sermon on sun',
    'launch monday',
    'who said "see you last Friday"?',
  ])('time phrases are not found in "%s"', (query) => {
    expect(read(query)).toEqual([]);
  });

  it('time phrases are read across any white space, as across one space', () => {
    expect(read('what was\tdone   two \n weeks     ago')).toEqual([['2026-11-03', '2026-11-12']]);
  });

  it('time phrases are not lost where two counted units stand together', () => {
    expect(read('1 year and 2 months ago')).toEqual([['2025-03-23', '2026-03-23']]);
  });

  it.each([
    ['2026-11-22T23:00:00Z', 'this week', '2026-11-16', '2026-11-23'],
    ['2026-11-23T00:00:00Z', 'this week', '2026-11-23', '2026-11-30'],
    ['2026-01-01T00:00:00Z', 'last month', '2025-12-01', '2026-01-01'],
    ['2026-03-31T12:00:00Z', 'the past month', '2026-02-28', '2026-04-01'],
  ])('a time phrase read on %s is "%s"', (at, query, from, to) => {
    const found = readTimes(query, Date.parse(at)).periods;
    expect(found.map((period) => [day(period.from), day(period.to)])).toEqual([[from, to]]);
  });

  it.each([
    ['what did we decide last week about search?', 'what did we decide   about search?'],
    ['on 3 June  and   yesterday', '  and  '],
    ['what does   Ana like', 'what does   Ana like'],
    [`last May ${'x '.repeat(300)}last June`, `  ${'x '.repeat(300)}last June`],
  ])('a time that is read in "%s" is no part of the rest', (query, rest) => {
    expect(readTimes(query, now).rest).toBe(rest);
  });

  it('times stand in the order of the query, whichever rule read them', () => {
    const texts = readTimes('yesterday, on 3 June or last May', now).periods.map(({ text }) => text);
    expect(texts).toEqual(['yesterday', 'on 3 June', 'last May']);
  });

  it.each([
    ['in June', '2024-06-10', 0.75],
    ['on 3 May', '2025-05-03', 0.75],
    ['last June', '2024-06-10', 0],
    ['in June 2025', '2024-06-10', 0],
    ['in winter', '2024-02-10', 0.75],
  ])('a time of an earlier year fits "%s" where no year is named: %s by %s', (query, time, fit) => {
    const [period] = readTimes(query, now).periods;
    expect(timeFit(period, Date.parse(time))).toBeCloseTo(fit, 2);
  });

  it('a time fits a phrase less the farther it is', () => {
    const [may] = readTimes('last May', now).periods;
    const closenessAt = (time: string) => closeness(may, Date.parse(time));
    expect(closenessAt('2026-05-20')).toBe(1);
    expect(closenessAt('2026-06-10')).toBeLessThan(1);
    expect(closenessAt('2026-06-10')).toBeGreaterThan(closenessAt('2026-07-10'));
    expect(closenessAt('2024-01-01')).toBeLessThan(0.001);
  });
});
