import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS } from './epoch.ts';

const dayPart =
  '-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?|(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])' +
  '|-?[Ww](0[1-9]|[1-4][0-9]|5[0-3])(-?[1-7])?|-?[0-3][0-9]{2}';
const clockPart =
  '([01][0-9]|2[0-4])(:?[0-5][0-9](:?[0-5][0-9]([.,][0-9]{1,9})?)?)?([Zz]|[+-]([01][0-9]|2[0-3])(:?[0-5][0-9])?)?';

/** The shape of what `readIso` reads, for JSON Schema; that a day exists is beyond it. */
export const isoPattern = `^[0-9]{4}(${dayPart})?([Tt ]${clockPart})?$`;
export const isoRule = 'must be an ISO 8601 date or time, such as 2026-02-01 or 2026-02-01T09:30:00Z';

/** A stretch of time in UTC; `end` is its last millisecond. */
interface Period {
  readonly start: EpochMs;
  readonly end: EpochMs;
}

/** Midnight of a day; months and days out of range run over into the next. Years under 100 are years. */
function midnight(year: number, month: number, day: number): EpochMs {
  return new Date(0).setUTCFullYear(year, month - 1, day);
}

function stretch(start: EpochMs, next: EpochMs): Period {
  return { start, end: next - 1 };
}

function dayOfMonth(year: number, month: number, day: number): Period | undefined {
  const start = midnight(year, month, day);
  const isReal = day > 0 && new Date(start).getUTCMonth() === month - 1;
  return isReal ? stretch(start, start + DAY_MS) : undefined;
}

function wholeMonth(year: number, month: number): Period | undefined {
  if (month < 1 || month > 12) return undefined;
  return stretch(midnight(year, month, 1), midnight(year, month + 1, 1));
}

/** Monday of the first ISO week: that with the fourth of January. */
function firstWeek(year: number): EpochMs {
  const fourth = midnight(year, 1, 4);
  return fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * DAY_MS;
}

function wholeWeek(year: number, week: number): Period | undefined {
  const start = firstWeek(year) + (week - 1) * 7 * DAY_MS;
  return week > 0 && start < firstWeek(year + 1) ? stretch(start, start + 7 * DAY_MS) : undefined;
}

function dayOfWeek(year: number, week: number, day: number): Period | undefined {
  const whole = wholeWeek(year, week);
  return whole && stretch(whole.start + (day - 1) * DAY_MS, whole.start + day * DAY_MS);
}

function dayOfYear(year: number, day: number): Period | undefined {
  const start = midnight(year, 1, day);
  return day > 0 && start < midnight(year + 1, 1, 1) ? stretch(start, start + DAY_MS) : undefined;
}

type Form = readonly [RegExp, (year: number, part: number, day: number) => Period | undefined];

/** Extended and basic forms of ISO 8601 that name one day. */
const dayForms: readonly Form[] = [
  [/^(\d{4})-(\d{2})-(\d{2})$/, dayOfMonth],
  [/^(\d{4})(\d{2})(\d{2})$/, dayOfMonth],
  [/^(\d{4})-W(\d{2})-([1-7])$/, dayOfWeek],
  [/^(\d{4})W(\d{2})([1-7])$/, dayOfWeek],
  [/^(\d{4})-?(\d{3})$/, dayOfYear],
];

const longerForms: readonly Form[] = [
  [/^(\d{4})-(\d{2})$/, wholeMonth],
  [/^(\d{4})-?W(\d{2})$/, wholeWeek],
  [/^(\d{4})$/, (year) => stretch(midnight(year, 1, 1), midnight(year + 1, 1, 1))],
];

function firstOf(forms: readonly Form[], text: string): Period | undefined {
  for (const [pattern, read] of forms) {
    const match = pattern.exec(text);
    if (match) return read(Number(match[1]), Number(match[2]), Number(match[3]));
  }
  return undefined;
}

const fraction = '(?:[.,](\\d{1,9}))?';
const zone = '(Z|[+-]\\d{2}(?::?\\d{2})?)?';
const clocks = [
  new RegExp(`^(\\d{2}):(\\d{2})(?::(\\d{2})${fraction})?${zone}$`),
  new RegExp(`^(\\d{2})(?:(\\d{2})(?:(\\d{2})${fraction})?)?${zone}$`),
];

/** Milliseconds east of UTC; undefined where there is no such zone. */
function offsetOf(text: string): number | undefined {
  if (text === 'Z') return 0;
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(3).replace(':', ''));
  if (hours > 23 || minutes > 59) return undefined;
  return (text.startsWith('-') ? -1 : 1) * (hours * HOUR_MS + minutes * MINUTE_MS);
}

/** Milliseconds from midnight in UTC of a time of day; without a zone it is UTC. 24:00 is the end of the day. */
function readClock(text: string): number | undefined {
  const match = clocks[0].exec(text) ?? clocks[1].exec(text);
  if (!match) return undefined;
  const [, hour, minute = '0', second = '0', part = '', where = 'Z'] = match;
  const ms = Number(part.padEnd(3, '0').slice(0, 3));
  const time = Number(hour) * HOUR_MS + Number(minute) * MINUTE_MS + Number(second) * 1000 + ms;
  const offset = offsetOf(where);
  if (Number(minute) > 59 || Number(second) > 59 || time > DAY_MS || offset === undefined) return undefined;
  return time - offset;
}

/** A date, month, week or year, or a moment (whose end is itself), in any form of ISO 8601; undefined for other texts. */
export function readIso(given: string): Period | undefined {
  const text = given.toUpperCase();
  const at = text.search(/[T ]/);
  if (at < 0) return firstOf(dayForms, text) ?? firstOf(longerForms, text);
  const day = firstOf(dayForms, text.slice(0, at));
  const time = readClock(text.slice(at + 1));
  if (!day || time === undefined) return undefined;
  return { start: day.start + time, end: day.start + time };
}
