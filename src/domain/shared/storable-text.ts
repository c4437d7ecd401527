import { jsonDepthMax, jsonDepthRule } from '../../lib/json.ts';
import { invalidInput } from './errors.ts';

/** Whether every engine stores a text and gives it back unchanged. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Texts that no engine stores alike: NUL, and halves of surrogate pairs. @throws 422 naming the field */
function assertText(text: string, field: string): void {
  if (text.includes('\0')) throw invalidInput(field, 'must not contain the NUL character');
  if (!text.isWellFormed()) throw invalidInput(field, 'must not contain half of a surrogate pair');
}

function fieldName(parent: string, key: string | number): string {
  if (typeof key === 'number') return `${parent}[${key}]`;
  return parent === '' ? key : `${parent}.${key}`;
}

/** Walks a parsed body or query once. @throws 422 for a broken text or more than 64 levels */
export function assertTexts(value: unknown, field = '', depth = 0): void {
  if (typeof value === 'string') assertText(value, field === '' ? 'the body' : field);
  if (typeof value !== 'object' || value === null) return;
  if (depth >= jsonDepthMax) throw invalidInput('the body', jsonDepthRule);
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) assertTexts(value[i], fieldName(field, i), depth + 1);
    return;
  }
  // Listing the entries of an object without a prototype, as parameters of a URL are, takes ten times as long.
  for (const key of Object.keys(value)) {
    assertText(key, 'a member name');
    if (key === '__proto__') throw invalidInput('a member name', 'must not be __proto__');
    assertTexts((value as Readonly<Record<string, unknown>>)[key], fieldName(field, key), depth + 1);
  }
}

/** @throws 422 naming `field` when `text` has fewer than `min` or more than `max` UTF-16 units */
export function assertLength(text: string, field: string, max: number, min = 0): void {
  if (text.length >= min && text.length <= max) return;
  const rule =
    min === 0
      ? `must have at most ${max} characters`
      : `must have ${min} to ${max} characters (UTF-16 units)`;
  throw invalidInput(field, rule);
}
