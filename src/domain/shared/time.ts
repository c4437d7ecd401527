import { invalidInput } from './errors.ts';

/** Milliseconds since 1970-01-01T00:00:00Z: the form of times everywhere but at the HTTP edge. */
export type EpochMs = number;

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const dayPart =
  '-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?|(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])' +
  '|-?[Ww](0[1-9]|[1-4][0-9]|5[0-3])(-?[1-7])?|-?[0-3][0-9]{2}';
const clockPart =
  '([01][0-9]|2[0-4])(:?[0-5][0-9](:?[0-5][0-9]([.,][0-9]{1,9})?)?)?([Zz]|[+-]([01][0-9]|2[0-3])(:?[0-5][0-9])?)?';

/** The form of texts that `readIso` reads, for JSON Schema; it does not check that a day exists. */
export const isoPattern = `^[0-9]{4}(${dayPart})?([Tt ]${clockPart})?$`;
export const isoRule = 'must be an ISO 8601 date or time, such as 2026-02-01 or 2026-02-01T09:30:00Z';

const isoShape = new RegExp(isoPattern);

/** A number from 1 to 999999 and m, h, d, w or mo. */
export const windowPattern = '^([1-9][0-9]{0,5})(mo|m|h|d|w)$';
export const windowRule = 'must be a window such as 30m, 24h, 7d, 2w or 1mo';
const window = new RegExp(windowPattern);

/** See `parseExpiry`. */
export const expiryPattern = `${isoPattern}|${windowPattern}`;
export const expiryRule =
  'must be a time such as 2027-01-31 or 2027-01-31T09:30:00Z, or how long until then, such as 24h, 30d or 2w';

/** Dates written last, by day since 1970: they cut the time of `toISOString` to a fifth. */
const days = new Map<number, string>();
const daysMax = 5000;

function dayText(day: number): string {
  const known = days.get(day);
  if (known !== undefined) return known;
  const text = new Date(day * DAY_MS).toISOString();
  if (days.size >= daysMax) days.clear();
  const date = text.slice(0, text.indexOf('T') + 1);
  days.set(day, date);
  return date;
}

/** ISO 8601 in UTC with milliseconds and `Z`. */
export function toIso(time: EpochMs): string {
  const day = Math.floor(time / DAY_MS);
  const ofDay = time - day * DAY_MS;
  const hour = Math.trunc(ofDay / HOUR_MS);
  const minute = Math.trunc(ofDay / MINUTE_MS) % 60;
  const second = Math.trunc(ofDay / 1000) % 60;
  return `${dayText(day)}${pad(hour, 2)}:${pad(minute, 2)}:${pad(second, 2)}.${pad(Math.trunc(ofDay % 1000), 3)}Z`;
}

function pad(value: number, length: 2 | 3): string {
  if (value < 10) return length === 2 ? `0${value}` : `00${value}`;
  return length === 3 && value < 100 ? `0${value}` : String(value);
}

const earliest = -62_167_219_200_000;
const latest = 253_402_300_799_999;

/**
 * Any ISO 8601 date, week, month, year, or date and time, in the extended or the basic form; without an offset it is
 * UTC. Years 0000 to 9999.
 * @param bound `end` reads a day or a longer period as its last millisecond, `start` as its first.
 * @throws 422 naming `field`
 */
export function parseTime(text: string, field: string, bound: 'start' | 'end' = 'start'): EpochMs {
  const time = readIso(text)?.[bound];
  if (time !== undefined && time >= earliest && time <= latest) return time;
  throw invalidInput(
    field,
    isoShape.test(text) ? 'must be an ISO 8601 date or time that exists, in the years 0000 to 9999' : isoRule,
  );
}

/** The time `text` ago: a number and m, h, d, w or mo (minutes to calendar months), counted in UTC. @throws 422 */
export function parseWindowStart(text: string, field: string, now: EpochMs): EpochMs {
  return Math.max(windowFrom(now, text, -1) ?? refuse(field, windowRule), earliest);
}

/** A future time, or the duration until then: `2027-01-31`, `30d`. @throws 422 */
export function parseExpiry(text: string, field: string, now: EpochMs): EpochMs {
  const end = windowFrom(now, text, 1);
  if (end !== undefined) return Math.min(end, latest);
  if (!isoShape.test(text)) refuse(field, expiryRule);
  return parseTime(text, field, 'end');
}

function refuse(field: string, rule: string): never {
  throw invalidInput(field, rule);
}

/** End of a window that begins `now`, or the start of one that ends now; undefined for another text. */
function windowFrom(now: EpochMs, text: string, direction: 1 | -1): EpochMs | undefined {
  const match = window.exec(text);
  if (!match) return undefined;
  const amount = direction * Number(match[1]);
  if (match[2] === 'mo') return monthsBefore(now, -amount);
  const unitMs = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS }[match[2]] ?? DAY_MS;
  return now + amount * unitMs;
}

const monthsMax = 24_000;

function monthsBefore(now: EpochMs, months: number): EpochMs {
  const date = new Date(now);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() - Math.max(-monthsMax, Math.min(months, monthsMax)));
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, last));
  return date.getTime();
}

/** A period in UTC; `end` is its last millisecond. */
interface Period {
  readonly start: EpochMs;
  readonly end: EpochMs;
}

/** Midnight of a day; months and days out of range continue in the next period. Years under 100 are years. */
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

/** Monday of the first ISO week, which contains 4 January. */
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

/** Milliseconds east of UTC; undefined for an invalid zone. */
function offsetOf(text: string): number | undefined {
  if (text === 'Z') return 0;
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(3).replace(':', ''));
  if (hours > 23 || minutes > 59) return undefined;
  return (text.startsWith('-') ? -1 : 1) * (hours * HOUR_MS + minutes * MINUTE_MS);
}

/** A time of day in milliseconds from midnight UTC; without a zone it is UTC. 24:00 is the end of the day. */
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

/**
 * A date, month, week or year, or an instant (which is its own
 * end), in any form of ISO 8601; undefined for other texts.
 */
export function readIso(given: string): Period | undefined {
  const text = given.toUpperCase();
  const at = text.search(/[T ]/);
  if (at < 0) return firstOf(dayForms, text) ?? firstOf(longerForms, text);
  const day = firstOf(dayForms, text.slice(0, at));
  const time = readClock(text.slice(at + 1));
  if (!day || time === undefined) return undefined;
  return { start: day.start + time, end: day.start + time };
}

/** Lengths of time that a histogram counts by. */
export const barUnits = ['hour', 'day', 'week', 'month', 'year'] as const;
export type BarUnit = (typeof barUnits)[number];
