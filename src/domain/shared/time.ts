import { invalidInput } from './errors.ts';

/** Milliseconds since 1970-01-01T00:00:00Z: how times are held everywhere but at the HTTP edge. */
export type EpochMs = number;

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const dateOnly = /^\d{4}-\d{2}-\d{2}$/;
const dateTime = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})?$/;
/** A number from 1 to 999999 and m, h, d, w or mo. */
export const windowPattern = '^([1-9][0-9]{0,5})(mo|m|h|d|w)$';
export const windowRule = 'must be a window such as 30m, 24h, 7d, 2w or 1mo';
const window = new RegExp(windowPattern);

/** Days written last, by number since 1970: with them a time takes a fifth of what `toISOString` takes. */
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

function isRealDate(text: string): boolean {
  const [year, month, day] = text.slice(0, 10).split('-').map(Number);
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function normalise(text: string): string {
  const upper = text.toUpperCase().replace(' ', 'T').replace(',', '.');
  const cut = upper.replace(/(\.\d{3})\d+/, '$1').replace(/([+-]\d{2})(\d{2})$/, '$1:$2');
  return /(Z|[+-]\d{2}:\d{2})$/.test(cut) ? cut : `${cut}Z`;
}

/**
 * Any ISO 8601 date or date and time; without an offset it is UTC. Years 0000 to 9999.
 * @param bound `end` reads a date-only value as the last millisecond of that day.
 * @throws 422 naming `field`
 */
export function parseTime(text: string, field: string, bound: 'start' | 'end' = 'start'): EpochMs {
  if (dateOnly.test(text) && isRealDate(text)) {
    return Date.parse(`${text}T00:00:00.000Z`) + (bound === 'end' ? DAY_MS - 1 : 0);
  }
  if (dateTime.test(text) && isRealDate(text)) {
    const time = Date.parse(normalise(text));
    if (!Number.isNaN(time) && time >= -62_167_219_200_000 && time <= 253_402_300_799_999) return time;
  }
  throw invalidInput(field, 'must be an ISO 8601 date or time, such as 2026-02-01 or 2026-02-01T09:30:00Z');
}

/** The time `text` ago: a number and m, h, d, w or mo (minutes to calendar months), counted in UTC. @throws 422 */
export function parseWindowStart(text: string, field: string, now: EpochMs): EpochMs {
  const match = window.exec(text);
  if (!match) throw invalidInput(field, windowRule);
  const amount = Number(match[1]);
  if (match[2] === 'mo') return monthsBefore(now, amount);
  const unitMs = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS }[match[2]] ?? DAY_MS;
  return Math.max(now - amount * unitMs, -62_167_219_200_000);
}

function monthsBefore(now: EpochMs, months: number): EpochMs {
  const date = new Date(now);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() - Math.min(months, 24_000));
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, last));
  return date.getTime();
}
