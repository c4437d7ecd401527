function pad(value: number, length = 2): string {
  return String(value).padStart(length, '0');
}

/** A time for people: `2026-11-22 14:05`, in the time zone of this machine. An empty string without a time. */
export function showTime(time: string | number | null | undefined): string {
  if (time === null || time === undefined) return '';
  const date = new Date(time);
  const day = [pad(date.getFullYear(), 4), pad(date.getMonth() + 1), pad(date.getDate())].join('-');
  return `${day} ${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

const localTime = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?)?$/;

/**
 * Reads days, and times in the form of `showTime`, in the time zone of this
 * machine. Any other text is left to the service, which explains invalid times.
 * @param bound first or last millisecond of the day, or of the minute
 * @returns ISO 8601 in UTC, or the text unchanged
 */
export function readTime(text: string, bound: 'start' | 'end' = 'start'): string {
  const [, day, minute, second = ''] = localTime.exec(text) ?? [];
  if (day === undefined) return text;
  const time = new Date(`${day}T${minute ?? '00:00'}${second}`);
  // JavaScript turns a day that does not exist into another one, or into none.
  if (Number.isNaN(time.getTime()) || showTime(time.getTime()).slice(0, day.length) !== day) return text;
  if (bound === 'start' || second !== '') return time.toISOString();
  if (minute === undefined) time.setDate(time.getDate() + 1);
  else time.setMinutes(time.getMinutes() + 1);
  return new Date(time.getTime() - 1).toISOString();
}
