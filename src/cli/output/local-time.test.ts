import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readTime, showTime } from './local-time.ts';

describe('times for people', () => {
  const before = process.env.TZ;
  beforeEach(() => {
    process.env.TZ = 'America/New_York';
  });
  afterEach(() => {
    process.env.TZ = before ?? '';
    if (before === undefined) delete process.env.TZ;
  });

  it('times for people are shown in the time zone of the machine', () => {
    expect(showTime('2026-07-01T00:30:00.000Z')).toBe('2026-06-30 20:30');
    expect(showTime(Date.UTC(2026, 0, 1, 12))).toBe('2026-01-01 07:00');
    expect([showTime(null), showTime(undefined)]).toEqual(['', '']);
  });

  it('times for people are read in the time zone of the machine where they name none', () => {
    expect(readTime('2026-07-01')).toBe('2026-07-01T04:00:00.000Z');
    expect(readTime('2026-07-01', 'end')).toBe('2026-07-02T03:59:59.999Z');
    expect(readTime('2026-01-01 09:30')).toBe('2026-01-01T14:30:00.000Z');
    expect(readTime('2026-01-01T09:30', 'end')).toBe('2026-01-01T14:30:59.999Z');
    expect(readTime('2026-01-01 09:30:15', 'end')).toBe('2026-01-01T14:30:15.000Z');
    // The day on which the clock is put back has 25 hours.
    expect(readTime('2026-11-01', 'end')).toBe('2026-11-02T04:59:59.999Z');
  });

  it('times of another form, or that do not exist, are left to the service', () => {
    for (const text of [
      '2026-07-01T00:30:00Z',
      '2026-02-30',
      '2026-13-01',
      '2026-W07',
      'yesterday',
      '2026-01-01 25:00',
    ])
      expect(readTime(text)).toBe(text);
  });
});
