import { describe, expect, it } from 'vitest';
import { timesInText } from './times-in-texts.ts';

/** A Wednesday. */
const at = Date.parse('2026-05-13T15:00:00Z');
const days = (content: string) =>
  timesInText(content, at).map(({ from, to }) =>
    [from, to].map((time) => new Date(time).toISOString().slice(0, 10)),
  );

describe('times that texts name', () => {
  it.each([
    ['I saw the dentist yesterday.', [['2026-05-12', '2026-05-13']]],
    ['Ana: we met last Friday at the lake, it rained.', [['2026-05-08', '2026-05-09']]],
    [
      'The heating failed two days ago and again last night',
      [
        ['2026-05-10', '2026-05-13'],
        ['2026-05-12', '2026-05-13'],
      ],
    ],
    ['Our trip was last week', [['2026-05-04', '2026-05-11']]],
    ['We fly to Oslo next Friday.', [['2026-05-22', '2026-05-23']]],
    ['Tomorrow is the exam', [['2026-05-14', '2026-05-15']]],
    [
      'The audit is next month, the last one was last year',
      [
        ['2026-06-01', '2026-07-01'],
        ['2025-01-01', '2026-01-01'],
      ],
    ],
    ['Gestern war der Zahnarzt da', [['2026-05-12', '2026-05-13']]],
    ['Wir waren letzte Woche in Graz', [['2026-05-04', '2026-05-11']]],
    ['Nous avons déménagé la semaine dernière', [['2026-05-04', '2026-05-11']]],
    ['Me mudé la semana pasada', [['2026-05-04', '2026-05-11']]],
  ])('"%s" names its times, counted from when it happened', (content, expected) => {
    expect(days(content)).toEqual(expected);
  });

  it.each([
    'The last time I checked, the past was past.',
    'On 3 June 2026 the tax is due',
    'This week I am tired, and today too',
    'In the last ten years we lived in Graz',
    'It takes two days',
    '',
  ])('"%s" names no time counted from when it happened, or none that is near', (content) => {
    expect(days(content)).toEqual([]);
  });

  it('a text names four times at most, each once', () => {
    const phrases = ['Yesterday', 'yesterday', 'Tomorrow', 'Last week', 'Next week', 'Last month'];
    expect(days(phrases.join(` we sailed. ${'The lake is calm. '.repeat(10)}`))).toHaveLength(4);
  });

  it('a phrase far in a text is found', () => {
    expect(days(`${'The lake is calm and the boat is dry. '.repeat(300)}We sailed yesterday.`)).toHaveLength(
      1,
    );
  });

  it.each([
    'last '.repeat(4000),
    'yesterday '.repeat(2000),
    `1 year ${'2 months 3 days '.repeat(1000)}ago`,
    `last${' '.repeat(19_000)}week`,
    `vor ${'1'.repeat(10_000)} wochen`,
    'il y a '.repeat(2000),
    'last 1/1/1 1:1 - '.repeat(1000),
  ])('a text of nothing but words of times is read all the same: %#', (text) => {
    expect(days(text).length).toBeLessThanOrEqual(4);
  });
});
