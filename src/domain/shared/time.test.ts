import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isoPattern, parseTime, readIso, toIso } from './time.ts';

describe('toIso', () => {
  it('every time of the years 0000 to 9999 is written as Date does', () => {
    const time = fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 });
    fc.assert(
      fc.property(time, fc.integer({ min: -1000, max: 1000 }), (at, step) => {
        for (const each of [at, Math.min(at + step, 253_402_300_799_999)])
          expect(toIso(each)).toBe(new Date(each).toISOString());
      }),
    );
  });
});

const iso = (text: string, bound: 'start' | 'end') => toIso(parseTime(text, 'from', bound));

describe('parseTime', () => {
  it.each([
    ['2025-02-03', '2025-02-03T00:00:00.000Z', '2025-02-03T23:59:59.999Z'],
    ['20250203', '2025-02-03T00:00:00.000Z', '2025-02-03T23:59:59.999Z'],
    ['2025-03', '2025-03-01T00:00:00.000Z', '2025-03-31T23:59:59.999Z'],
    ['2024-02', '2024-02-01T00:00:00.000Z', '2024-02-29T23:59:59.999Z'],
    ['2025', '2025-01-01T00:00:00.000Z', '2025-12-31T23:59:59.999Z'],
    ['2025-W10', '2025-03-03T00:00:00.000Z', '2025-03-09T23:59:59.999Z'],
    ['2025W10', '2025-03-03T00:00:00.000Z', '2025-03-09T23:59:59.999Z'],
    ['2020-W53-5', '2021-01-01T00:00:00.000Z', '2021-01-01T23:59:59.999Z'],
    ['2025-034', '2025-02-03T00:00:00.000Z', '2025-02-03T23:59:59.999Z'],
    ['0000-01', '0000-01-01T00:00:00.000Z', '0000-01-31T23:59:59.999Z'],
  ])('the text %s is read as its start or its end', (text, start, end) => {
    expect([iso(text, 'start'), iso(text, 'end')]).toEqual([start, end]);
  });

  it.each([
    ['20250203T100000Z', '2025-02-03T10:00:00.000Z'],
    ['20250203T1000', '2025-02-03T10:00:00.000Z'],
    ['20250203T100000.25+0130', '2025-02-03T08:30:00.250Z'],
    ['2025-02-03T10:00:00,5-02', '2025-02-03T12:00:00.500Z'],
    ['2025-02-03t10z', '2025-02-03T10:00:00.000Z'],
    ['2025-02-03 10:00', '2025-02-03T10:00:00.000Z'],
    ['2025-02-03T24:00', '2025-02-04T00:00:00.000Z'],
    ['2025-W06-1T10:00Z', '2025-02-03T10:00:00.000Z'],
  ])('the text %s is read as a time', (text, time) => {
    expect([iso(text, 'start'), iso(text, 'end')]).toEqual([time, time]);
  });

  it.each([
    ...[
      '2025-13',
      '2025-00',
      '2025-02-30',
      '2025-W54',
      '2021-W53',
      '2025-W00',
      '2025-366',
      '2025-000',
      '202503',
    ],
    ...['2025-02-03T25:00', '2025-02-03T10:60', '2025-02-03T10:00:60', '2025-02-03T24:01', '2025-03T10:00'],
    ...[
      '2025-02-03T',
      'T10:00',
      '',
      'soon',
      '+2025-01-01',
      '9999-12-31T23:59:59-01:00',
      '2025-02-03T10:00+25:00',
    ],
  ])('the text %s is refused as a time', (text) => {
    expect(() => parseTime(text, 'from')).toThrow('from must be an ISO 8601 date or time');
  });

  it('nothing is read as a time that the pattern of the OpenAPI document refuses', () => {
    const shape =
      /^[0-9]{4}(-?[0-9W][0-9]{1,2}){0,2}([Tt ][0-9]{2}(:?[0-9]{2}){0,2}([.,][0-9]{1,3})?([Zz]|[+-][0-9]{2}(:?[0-9]{2})?)?)?$/;
    const pattern = new RegExp(isoPattern);
    let read = 0;
    fc.assert(
      fc.property(fc.stringMatching(shape), (text) => {
        if (readIso(text) === undefined) return;
        read++;
        expect(pattern.test(text), text).toBe(true);
      }),
      { numRuns: 20_000 },
    );
    expect(read).toBeGreaterThan(100);
  });

  it('what could be read before is read as Date does', () => {
    const time = fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 });
    fc.assert(
      fc.property(time, (at) => {
        expect(parseTime(toIso(at), 'from')).toBe(at);
      }),
    );
  });
});
