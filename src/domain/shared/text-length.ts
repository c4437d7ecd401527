import { invalidInput } from './errors.ts';

/** @throws 422 naming `field` when `text` has fewer than `min` or more than `max` UTF-16 units */
export function assertLength(text: string, field: string, max: number, min = 0): void {
  if (text.length >= min && text.length <= max) return;
  const rule =
    min === 0
      ? `must have at most ${max} characters`
      : `must have ${min} to ${max} characters (UTF-16 units)`;
  throw invalidInput(field, rule);
}
