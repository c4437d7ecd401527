/*
 * Times and topics as other tools write them. The explorer has it in the browser, too: it uses nothing of Node.
 */

/** Numbers above are milliseconds: as seconds they would lie after the year 5100. */
const secondsMax = 1e11;
const msMax = 253_402_300_799_999;

const iso =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?\s?([Zz]|UTC|[+-]\d\d(?::?\d\d)?)?)?$/;

/**
 * Seconds or milliseconds since 1970 as a number or its text, or a day or time of ISO 8601, which is UTC without an
 * offset. @returns ISO 8601 in UTC; undefined for anything else, such as `04/01/2026`
 */
export function readTime(value: unknown): string | undefined {
  if (typeof value === 'number') return ofMs(value > secondsMax ? value : value * 1000);
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (/^\d{9,13}(\.\d+)?$/.test(text)) return readTime(Number(text));
  const parts = iso.exec(text);
  return parts === null ? undefined : ofParts(parts);
}

function ofMs(ms: number): string | undefined {
  return ms > 0 && ms <= msMax ? new Date(Math.round(ms)).toISOString() : undefined;
}

function ofParts([, ...parts]: RegExpExecArray): string | undefined {
  const [year, month, day, hour, minute, second] = parts.slice(0, 6).map((part) => Number(part ?? 0));
  const ms = Number(`${parts[6] ?? ''}000`.slice(0, 3));
  const time = new Date(Date.UTC(year, month - 1, day, hour, minute, second, ms));
  // A day or an hour that does not exist would be counted on into the next.
  if (time.getUTCDate() !== day || time.getUTCHours() !== hour % 24 || minute > 59 || second > 59)
    return undefined;
  const [, sign, hours, minutes = 0] = /([+-])(\d\d):?(\d\d)?/.exec(parts[7] ?? '') ?? [];
  const offset = hours === undefined ? 0 : (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  return new Date(time.getTime() - offset * 60_000).toISOString();
}

const topicsMax = { count: 50, length: 100 };

/** Tags or categories as topics: a list, or a text with commas or semicolons between them. */
export function topicsFrom(value: unknown): string[] | undefined {
  const parts = typeof value === 'string' ? value.split(/[,;]/) : Array.isArray(value) ? value : [];
  const topics = parts
    .filter((part) => typeof part === 'string' || typeof part === 'number')
    .map((part) => String(part).trim().slice(0, topicsMax.length).toWellFormed())
    .filter((topic) => topic !== '');
  return topics.length === 0 ? undefined : [...new Set(topics)].slice(0, topicsMax.count);
}
